"""How requests are written for a server that doesn't take them as lve writes them.

Some of it is known before (`lve.models.known`). The rest is learned from responses 400 that name
what they refuse: lve leaves out an arg that only lve has added, or writes it under another name.
What a test or the user has set is never left out; there the error says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from lve.errors import AdjustedRequestError, ModelError, PermanentModelError
from lve.models.openai.failures import error_object

SystemRole = Literal["system", "developer", "user"]
REFUSALS = (400, 422)
OUR_OWN = frozenset(("stream_options",))
"""Parts of a request that are no model args and can be left out."""
NOT_ARGS = frozenset(("model", "messages", "prompt", "stream", "stream_options", "prompt_logprobs"))
OTHER_NAMES = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""Model args that servers know under either name."""
MOST_READ = 1000
"""Characters of an error's message that are searched for names."""
_WORD = re.compile(r"[A-Za-z_]+")
_QUOTED = re.compile(r"[`'\"]([A-Za-z_]+)[`'\"]")
_SHORT = 5
"""Shorter names are words, too (`stop`, `seed`): they count only where they are quoted."""
_SYSTEM = re.compile(
    r"['\"`]?system['\"`]?.{0,20}\b(role|message|prompt|instruction)|['\"`]system['\"`]"
    r"|developer instruction",
    re.IGNORECASE,
)
_NOT_TAKEN = re.compile(
    r"not (be )?(support|allow|enabl|permit)|unsupported|only|invalid", re.IGNORECASE
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
        if self.system_as != "system" and "messages" in body:
            body["messages"] = [*_without_system(body["messages"], self.system_as)]
        return body

    def after(
        self,
        failure: ModelError,
        response: bytes,
        body: Mapping[str, Any],
        by_default: frozenset[str],
    ) -> ModelError:
        """Return the error for a request that failed: another one if the next attempt is written
        differently, or if it was refused for an arg that was set on purpose.

        Args:
            failure: what the response means by itself.
            response: its body.
            body: what was sent.
            by_default: as for `apply`.
        """
        if failure.status not in REFUSALS or not isinstance(failure, PermanentModelError):
            return failure
        error = error_object(response)
        if self._learn(error, body, by_default):
            return AdjustedRequestError(str(failure), kind="adjusted", status=failure.status)
        names = [name for name in _named(error, body) if name not in by_default | NOT_ARGS]
        if not names:
            return failure
        name = next((ours for ours, theirs in self.renamed.items() if theirs == names[0]), names[0])
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
        self, error: Mapping[str, Any], body: Mapping[str, Any], by_default: frozenset[str]
    ) -> bool:
        """Learn what a server refuses; return whether the next attempt is written differently."""
        names = [*_named(error, body)]
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
        roles = {message["role"] for message in body.get("messages", ())}
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


def _named(error: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of a request's body that an error names, the surest first."""
    keys = {name.replace("_", "").lower(): name for name in body}
    words = [*_places(error)]
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
    return str(said)[:MOST_READ]


def _without_system(
    messages: list[dict[str, Any]], role: Literal["developer", "user"]
) -> Iterator[dict[str, Any]]:
    """Yield messages without the system's: as developer messages, or in front of the user's."""
    if role == "developer":
        for message in messages:
            yield {**message, "role": role} if message["role"] == "system" else message
        return
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "system" and isinstance(message["content"], str):
            waiting.append(message["content"])
        elif waiting and message["role"] == "user":
            yield {**message, "content": _in_front("\n\n".join(waiting), message["content"])}
            waiting = []
        else:
            if waiting:
                yield {"role": "user", "content": "\n\n".join(waiting)}
                waiting = []
            yield {**message, "role": "user"} if message["role"] == "system" else message
    if waiting:
        yield {"role": "user", "content": "\n\n".join(waiting)}


def _in_front(text: str, content: Any) -> Any:
    if isinstance(content, str):
        return f"{text}\n\n{content}"
    return [{"type": "text", "text": text}, *(content or ())]
