"""Adjusts requests to servers that refuse parts of them.

Some adjustments are known in advance (`lve.models.known_models`). Others are learned from responses
with status 400 that name what they refuse: lve leaves out an arg that it added by default, or sends
it under another name. An arg that a test or the user has set is never left out; the error says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from lve.errors import AdjustedRequestError, ModelError, PermanentModelError
from lve.json_types import JsonObject
from lve.models.http.failures import error_object

SystemRole = Literal["system", "developer", "user"]
REFUSAL_STATUSES = (400, 422)
LVE_FIELDS = frozenset(("stream_options",))
"""Fields of a request that lve adds, aren't model args and can be left out."""
CONVERSATION = ("messages", "input")
"""APIs' names for the messages."""
NOT_ARGS = frozenset(
    (*CONVERSATION, "model", "prompt", "stream", "stream_options", "prompt_logprobs")
)
OTHER_NAMES = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""Model args that servers know under one of two names."""
MAX_ERROR_CHARS = 1000
"""Number of characters of an error's message that are searched for names."""
_WORD = re.compile(r"[A-Za-z_]+")
_QUOTED = re.compile(r"[`'\"]([A-Za-z_]+)[`'\"]")
_IN_PROMPT = re.compile(rf"({'|'.join(CONVERSATION)})\b").match
_MIN_NAME_CHARS = 5
"""Shorter names are also English words (`stop`, `seed`): they count only in quotes."""
_QUOTED_INPUT = re.compile(r"(['\"]input['\"]\s*:|\binput_value=).*", re.DOTALL)
"""The part of a pydantic error that quotes the request (`'input': ...`, `input_value=...`); vLLM
and other servers pass such errors on unchanged."""
_SYSTEM = re.compile(
    r"['\"`]?system['\"`]?.{0,20}\b(role|message|prompt|instruction)|['\"`]system['\"`]"
    r"|developer instruction",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"(not|n't) (be )?(support|allow|enabl|permit)|unsupported|only|invalid|unexpected",
    re.IGNORECASE,
)


class Adjustments:
    """The adjustments of requests for one model at one server."""

    def __init__(
        self,
        name: str,
        renames: Mapping[str, str] | None = None,
        *,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """Args:
        name: the model's name as the user gave it.
        renames: model arg -> the server's name for it, as far as known in advance.
        tell: called once for each adjustment that is learned.
        """
        self.renamed = dict(renames or {})
        """Model arg -> the server's name for it."""
        self.left_out: frozenset[str] = frozenset()
        """Names of what isn't sent, unless a test or the user has set it."""
        self.system_as: SystemRole = "system"
        """The role in which system messages are sent."""
        self._name = name
        self._tell = tell
        self._is_empty = not self.renamed

    def unsent(
        self,
        args: Mapping[str, object],
        by_default: frozenset[str],
        more: frozenset[str] = frozenset(),
    ) -> frozenset[str]:
        """Return the default args of a request that aren't sent.

        Args:
            args: the request's model args.
            by_default: those that lve added by default.
            more: further args that the model refuses.
        """
        refused = self.left_out | more if more else self.left_out
        return (refused & by_default).intersection(args) if refused else refused

    def tell(self, what: str) -> None:
        """Tell the user how requests to the model change."""
        if self._tell is not None:
            self._tell(f"{self._name} {what}")

    def apply(self, body: dict[str, Any], by_default: frozenset[str]) -> dict[str, Any]:
        """Return the adjusted body of a request.

        Args:
            body: the body as lve usually writes it; may be modified.
            by_default: the model args in it that lve added by default.
        """
        if self._is_empty:
            return body
        for name in self.left_out:
            if name in by_default or name in LVE_FIELDS:
                body.pop(name, None)
        for name, theirs in self.renamed.items():
            if name in body:
                body[theirs] = body.pop(name)
        if self.system_as != "system":
            for name in CONVERSATION:
                if name in body:
                    body[name] = [*_without_system(body[name], self.system_as)]
        return body

    def learn_from(
        self,
        failure: ModelError,
        response: bytes,
        body: JsonObject,
        by_default: frozenset[str],
        names: Mapping[str, str] | None = None,
    ) -> ModelError:
        """Learn from a failed request; return its error.

        That is an AdjustedRequestError if the next attempt will differ. If the server refused an
        arg that a test or the user has set, the message says so. Otherwise it is `failure`.

        Args:
            failure: the error that the response stands for.
            response: the response's body.
            body: the request's body.
            by_default: the model args in it that lve added by default.
            names: the server's name -> model arg, for args that the body has in another form.
        """
        if failure.status not in REFUSAL_STATUSES or not isinstance(failure, PermanentModelError):
            return failure
        error = error_object(response)
        places = [*_named(error, {**{name: name for name in body}, **(names or {})})]
        if self._learn(error, body, by_default, places):
            return AdjustedRequestError(str(failure), kind="adjusted", status=failure.status)
        args = [name for name in places if name not in by_default | NOT_ARGS]
        if not args:
            return failure
        name = next((ours for ours, theirs in self.renamed.items() if theirs == args[0]), args[0])
        return PermanentModelError(
            f"{failure} (`{name}` is set by the test, the settings or the command line, so lve "
            f"sends it: change it there, or leave it out with --model-arg {name}=null)",
            kind=failure.kind,
            status=failure.status,
        )

    def to_json(self) -> dict[str, object]:
        """Return the adjustments, for the session's file."""
        fields: dict[str, object] = {}
        if self.left_out:
            fields["left_out"] = sorted(self.left_out)
        if self.renamed:
            fields["renamed"] = dict(self.renamed)
        if self.system_as != "system":
            fields["system_as"] = self.system_as
        return fields

    def _learn(
        self, error: JsonObject, body: JsonObject, by_default: frozenset[str], places: Sequence[str]
    ) -> bool:
        """Learn what the server refuses; return whether the next attempt will differ."""
        for name in places:
            if name in OTHER_NAMES and self._rename(name, error):
                return True
            if name in by_default or name in LVE_FIELDS:
                self._note(f"refuses `{name}`: lve leaves it out", name not in self.left_out)
                self.left_out |= {name}
                return True
        # an error may name only the arg that it wants instead
        renames = "max_tokens" in body and self._rename("max_tokens", error)
        return renames or self._learn_system(error, body)

    def _rename(self, name: str, error: JsonObject) -> bool:
        other = OTHER_NAMES[name]
        if other not in _message(error) or other in self.renamed:
            return False  # the request used that name already
        self._note(f"takes `{name}` under the name `{other}`", name not in self.renamed)
        self.renamed[name] = other
        return True

    def _learn_system(self, error: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
        text = _message(error)
        messages = next((body[name] for name in CONVERSATION if name in body), ())
        roles = {
            message.get("role") for message in messages if isinstance(message, Mapping)
        }  # or texts to embed
        sent = next((role for role in ("system", "developer") if role in roles), None)
        if sent is None or not (_SYSTEM.search(text) and _REFUSED.search(text)):
            return False
        is_developer = sent == "system" and re.search(r"['\"`]developer['\"`]", text) is not None
        role: SystemRole = "developer" if is_developer else "user"
        how = "as developer messages" if is_developer else "in front of the user's"
        self._note(f"refuses system messages: they are sent {how}", self.system_as != role)
        self.system_as = role
        return True

    def _note(self, what: str, is_new: bool) -> None:
        """Record that requests change, and tell the user if `is_new`: requests in flight may be
        refused for the same reason."""
        self._is_empty = False
        if is_new:
            self.tell(what)


def _named(error: JsonObject, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the args that an error names, the most certain ones first.

    Args:
        error: the error object.
        names: the server's name -> model arg.
    """
    keys = {theirs.replace("_", "").lower(): ours for theirs, ours in names.items()}
    words = [*_fields_named(error)]
    if not any(_IN_PROMPT(word) for word in words):  # the message may quote the prompt
        text = _message(error)
        words += _QUOTED.findall(text)
        words += [word for word in _WORD.findall(text) if len(word) >= _MIN_NAME_CHARS]
    matches = (keys.get(word.replace("_", "").lower()) for word in words)
    yield from dict.fromkeys(name for name in matches if name is not None)


def _fields_named(error: JsonObject) -> Iterator[str]:
    """Yield the names in an error's `param` (OpenAI) and in the `loc` of its details (pydantic)."""
    if isinstance(param := error.get("param"), str):
        yield param
    details = error.get("detail")
    for detail in details if isinstance(details, list) else ():
        place = detail.get("loc") if isinstance(detail, Mapping) else None
        yield from (part for part in place or () if isinstance(part, str))


def _message(error: JsonObject) -> str:
    """Return the beginning of an error's message, without quotations of the request."""
    message = error.get("message") or error.get("detail")
    if isinstance(message, list):  # fields other than `msg` may quote the request
        message = "; ".join(str(part.get("msg")) for part in message if isinstance(part, Mapping))
    return _QUOTED_INPUT.sub("", str(message)[:MAX_ERROR_CHARS])


def _without_system(
    messages: list[dict[str, object]], role: Literal["developer", "user"]
) -> Iterator[dict[str, object]]:
    """Yield messages without the role `system`: with the role `developer`, or with the text put
    before the next user message."""
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
            yield {**message, "content": _prepended("\n\n".join(waiting), message["content"])}
            waiting = []
        else:
            if waiting:
                yield {"role": "user", "content": "\n\n".join(waiting)}
                waiting = []
            yield {**message, "role": "user"} if role_of == "system" else message
    if waiting:
        yield {"role": "user", "content": "\n\n".join(waiting)}


def _prepended(text: str, content: Any) -> object:
    if isinstance(content, str):
        return f"{text}\n\n{content}"
    is_responses_api = any(str(part.get("type")).startswith("input_") for part in content or ())
    kind = "input_text" if is_responses_api else "text"
    return [{"type": kind, "text": text}, *(content or ())]
