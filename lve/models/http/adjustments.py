"""How requests are written for a server that doesn't take them as lve writes them.

Some of it is known before (`lve.models.known`). The rest is learned from responses 400 that name
what they refuse: lve leaves out an arg that only lve has added, or writes it under another name.
What a test or the user has set is never left out; there the error says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from lve.errors import AdjustedRequestError, ModelError, PermanentModelError
from lve.models.http.failures import error_object

SystemRole = Literal["system", "developer", "user"]
REFUSALS = (400, 422)
OUR_OWN = frozenset(("stream_options",))
"""Parts of a request that are no model args and can be left out."""
CONVERSATION = ("messages", "input")
"""Names that APIs have for the messages."""
NOT_ARGS = frozenset(
    (*CONVERSATION, "model", "prompt", "stream", "stream_options", "prompt_logprobs")
)
OTHER_NAMES = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""Model args that servers know under either name."""
MOST_READ = 1000
"""Characters of an error's message that are searched for names."""
_WORD = re.compile(r"[A-Za-z_]+")
_QUOTED = re.compile(r"[`'\"]([A-Za-z_]+)[`'\"]")
_IN_PROMPT = re.compile(rf"({'|'.join(CONVERSATION)})\b").match
_SHORT = 5
"""Shorter names are words, too (`stop`, `seed`): they count only where they are quoted."""
_SENT = re.compile(r"(['\"]input['\"]\s*:|\binput_value=).*", re.DOTALL)
"""Where an error of pydantic, which vLLM and other servers pass on as it is, quotes what was sent:
`'input': ...`, `input_value=...`."""
_SYSTEM = re.compile(
    r"['\"`]?system['\"`]?.{0,20}\b(role|message|prompt|instruction)|['\"`]system['\"`]"
    r"|developer instruction",
    re.IGNORECASE,
)
_NOT_TAKEN = re.compile(
    r"(not|n't) (be )?(support|allow|enabl|permit)|unsupported|only|invalid|unexpected",
    re.IGNORECASE,
)


class Adjustments:
    """How requests to one server are written."""

    def __init__(
        self,
        name: str,
        renames: Mapping[str, str] | None = None,
        *,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """Args:
        name: the model's, as the user gave it.
        renames: model arg -> the server's name for it, as far as it is known before.
        tell: called once with each thing that is learned.
        """
        self.renamed = dict(renames or {})
        """Model arg -> the server's name for it."""
        self.left_out: frozenset[str] = frozenset()
        """What isn't sent unless it is set on purpose."""
        self.system_as: SystemRole = "system"
        """The role in which system messages are sent."""
        self._name = name
        self._tell = tell
        self._is_none = not self.renamed

    def apply(self, body: dict[str, Any], by_default: frozenset[str]) -> dict[str, Any]:
        """Return a request's body as the server takes it.

        Args:
            body: as lve writes it; it may be changed.
            by_default: the model args in it that nobody set.
        """
        if self._is_none:
            return body
        for name in self.left_out:
            if name in by_default or name in OUR_OWN:
                body.pop(name, None)
        for name, theirs in self.renamed.items():
            if name in body:
                body[theirs] = body.pop(name)
        if self.system_as != "system":
            for name in CONVERSATION:
                if name in body:
                    body[name] = [*_without_system(body[name], self.system_as)]
        return body

    def after(
        self,
        failure: ModelError,
        response: bytes,
        body: Mapping[str, Any],
        by_default: frozenset[str],
        names: Mapping[str, str] | None = None,
    ) -> ModelError:
        """Return the error for a request that failed: another one if the next attempt is written
        differently, or if it was refused for an arg that was set on purpose.

        Args:
            failure: what the response means by itself.
            response: its body.
            body: what was sent.
            by_default: as for `apply`.
            names: the server's name -> model arg, for args that the body has in another form.
        """
        if failure.status not in REFUSALS or not isinstance(failure, PermanentModelError):
            return failure
        error = error_object(response)
        named = [*_named(error, {**{name: name for name in body}, **(names or {})})]
        if self._learn(error, body, by_default, named):
            return AdjustedRequestError(str(failure), kind="adjusted", status=failure.status)
        args = [name for name in named if name not in by_default | NOT_ARGS]
        if not args:
            return failure
        name = next((ours for ours, theirs in self.renamed.items() if theirs == args[0]), args[0])
        return PermanentModelError(
            f"{failure} (`{name}` is set by the test, the settings or the command line, so lve "
            f"sends it: change it there, or leave it out with --model-arg {name}=null)",
            kind=failure.kind,
            status=failure.status,
        )

    def to_json(self) -> dict[str, Any]:
        """Return what differs from how lve writes requests, for the session's file."""
        fields: dict[str, Any] = {}
        if self.left_out:
            fields["left_out"] = sorted(self.left_out)
        if self.renamed:
            fields["renamed"] = dict(self.renamed)
        if self.system_as != "system":
            fields["system_as"] = self.system_as
        return fields

    def _learn(
        self,
        error: Mapping[str, Any],
        body: Mapping[str, Any],
        by_default: frozenset[str],
        named: Sequence[str],
    ) -> bool:
        """Learn what a server refuses; return whether the next attempt is written differently."""
        names = [*named]
        if "max_tokens" in body:  # an error may name only what it wants instead
            names.append("max_tokens")
        for name in names:
            if name in OTHER_NAMES and self._rename(name, error):
                return True
            if name in by_default or name in OUR_OWN:
                self._note(f"refuses `{name}`: lve leaves it out", name not in self.left_out)
                self.left_out |= {name}
                return True
        return self._learn_system(error, body)

    def _rename(self, name: str, error: Mapping[str, Any]) -> bool:
        other = OTHER_NAMES[name]
        if other not in _said(error) or other in self.renamed:
            return False  # it was written so already
        self._note(f"takes `{name}` under the name `{other}`", name not in self.renamed)
        self.renamed[name] = other
        return True

    def _learn_system(self, error: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
        said = _said(error)
        messages = next((body[name] for name in CONVERSATION if name in body), ())
        roles = {message.get("role") for message in messages}
        sent = next((role for role in ("system", "developer") if role in roles), None)
        if sent is None or not (_SYSTEM.search(said) and _NOT_TAKEN.search(said)):
            return False
        is_developer = sent == "system" and re.search(r"['\"`]developer['\"`]", said) is not None
        role: SystemRole = "developer" if is_developer else "user"
        how = "as developer messages" if is_developer else "in front of the user's"
        self._note(f"refuses system messages: they are sent {how}", self.system_as != role)
        self.system_as = role
        return True

    def _note(self, what: str, is_new: bool) -> None:
        """Remember that requests change. Requests that were under way learn it once more."""
        self._is_none = False
        if is_new and self._tell is not None:
            self._tell(f"{self._name} {what}")


def _named(error: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    """Yield what an error names, the surest first.

    Args:
        error: the error object.
        names: what the server may say -> what is meant.
    """
    keys = {theirs.replace("_", "").lower(): ours for theirs, ours in names.items()}
    words = [*_places(error)]
    if not any(_IN_PROMPT(word) for word in words):  # its text may quote the prompt
        said = _said(error)
        words += _QUOTED.findall(said)
        words += [word for word in _WORD.findall(said) if len(word) >= _SHORT]
    found = (keys.get(word.replace("_", "").lower()) for word in words)
    yield from dict.fromkeys(name for name in found if name is not None)


def _places(error: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names that an error gives in fields of their own."""
    if isinstance(param := error.get("param"), str):
        yield param
    details = error.get("detail")
    for detail in details if isinstance(details, list) else ():
        place = detail.get("loc") if isinstance(detail, Mapping) else None
        yield from (part for part in place or () if isinstance(part, str))


def _said(error: Mapping[str, Any]) -> str:
    said = error.get("message") or error.get("detail")
    if isinstance(said, list):  # beside `msg` there may be what was sent
        said = "; ".join(str(one.get("msg")) for one in said if isinstance(one, Mapping))
    return _SENT.sub("", str(said)[:MOST_READ])


def _without_system(
    messages: list[dict[str, Any]], role: Literal["developer", "user"]
) -> Iterator[dict[str, Any]]:
    """Yield messages without the system's: as developer messages, or in front of the user's."""
    if role == "developer":
        for message in messages:
            yield {**message, "role": role} if message.get("role") == "system" else message
        return
    waiting: list[str] = []
    for message in messages:
        role_of = message.get("role")
        if role_of == "system" and isinstance(message["content"], str):
            waiting.append(message["content"])
        elif waiting and role_of == "user":
            yield {**message, "content": _in_front("\n\n".join(waiting), message["content"])}
            waiting = []
        else:
            if waiting:
                yield {"role": "user", "content": "\n\n".join(waiting)}
                waiting = []
            yield {**message, "role": "user"} if role_of == "system" else message
    if waiting:
        yield {"role": "user", "content": "\n\n".join(waiting)}


def _in_front(text: str, content: Any) -> Any:
    if isinstance(content, str):
        return f"{text}\n\n{content}"
    of_responses = any(str(part.get("type")).startswith("input_") for part in content or ())
    kind = "input_text" if of_responses else "text"
    return [{"type": kind, "text": text}, *(content or ())]
