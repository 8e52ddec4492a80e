"""What an application answers: a text, and what it says beside it, within limits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lve.errors import PermanentModelError, TransientModelError
from lve.escape import excerpt, listed
from lve.messages import Completion, ToolCall, Usage
from lve.models.chat_model import MAX_COST
from lve.models.http.answers import (
    arguments_text,
    check_calls,
    check_length,
    label,
    token_usage,
)
from lve.models.http.failures import printable
from lve.models.http.json_body import is_finite, is_shallow
from lve.named_tuples import NamedTuple
from lve.suggest import did_you_mean

MAX_CONTEXTS = 1_000
"""Most contexts of one answer."""
MAX_METADATA_CHARS = 1_000_000
"""Most characters of an answer's metadata as JSON."""
CONTEXT_KEYS = ("text", "page_content", "content")
"""Keys of the text in a context that is an object, as retrievers return them."""
PROMPT_COUNTS = ("prompt_tokens", "input_tokens")
COMPLETION_COUNTS = ("completion_tokens", "output_tokens")


class Reply(NamedTuple):
    """One answer of an application."""

    text: str
    contexts: tuple[str, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    cost: float | None = None
    """US dollars."""
    metadata: Mapping[str, Any] | None = None
    session: str | None = None
    """The session's id, if the application says it."""
    finish_reason: str | None = None
    reasoning: str | None = None

    def completion(
        self, *, model: str, latency_s: float, first_token_s: float | None, state: object
    ) -> Completion:
        """Return the answer as a completion.

        Args:
            model: the target's name.
            latency_s: seconds until the whole answer was there.
            first_token_s: seconds until its beginning was there, if it was streamed.
            state: the completion's `provider_state`.
        """
        return Completion(
            self.text,
            self.finish_reason or "stop",
            self.usage,
            latency_s,
            first_token_s,
            model,
            tool_calls=self.tool_calls,
            reasoning=self.reasoning,
            provider_state=state,
            contexts=self.contexts,
            metadata=self.metadata,
            cost=self.cost,
        )


KEYS = (*Reply._fields, "error", "retry")
"""Keys of an answer that is an object."""


def reply_from(value: object) -> Reply:
    """Return the answer in a value: a text, or an object with a `text`.

    Raises:
        ModelError: it is something else, or says that there is none.
    """
    if isinstance(value, str):
        check_length(len(value))
        return Reply(value)
    if not isinstance(value, Mapping):
        raise unusable(f"a text or an object with `text` was expected, not {kind_of(value)}")
    if value.get("error"):
        raise _stated_error(value)
    for key in value:
        if key not in KEYS:
            hint = did_you_mean(str(key), KEYS) or f"there are: {listed(KEYS)}"
            where = "put what else there is into `metadata`"
            raise unusable(f"unknown key {excerpt(str(key))!r} ({hint}; {where})")
    if "text" not in value:
        raise unusable("the object has no `text`")
    return Reply(
        text_from(value["text"]),
        contexts_from(value.get("contexts")),
        calls_from(value.get("tool_calls")),
        usage_from(value.get("usage")),
        cost_from(value.get("cost")),
        metadata_from(value.get("metadata")),
        session_from(value.get("session")),
        label(value.get("finish_reason")),
        label(value.get("reasoning")),
    )


def _stated_error(value: Mapping[str, Any]) -> PermanentModelError | TransientModelError:
    message = printable(str(value["error"]))
    if value.get("retry") is True:
        return TransientModelError(message, kind="server_error")
    return failed(message)


def failed(message: str) -> PermanentModelError:
    """Return the error of an application that gave no answer, wherever it runs."""
    return PermanentModelError(message, kind="application")


def too_slow(who: str, seconds: float) -> PermanentModelError:
    """Return the error of a program on this machine that took longer than `seconds`. It is
    permanent: no network was in between that may be better the next time, and several such attempts
    would hold up the run for minutes."""
    return PermanentModelError(
        f"{who} gave no answer within {round(seconds, 2):g} s (--timeout, or `timeout_s` in "
        "lve.yaml); it isn't asked again",
        kind="timeout",
    )


def unusable(what: str) -> PermanentModelError:
    """Return the error for an answer that isn't what the settings or the documentation say. It is
    permanent: the application answers in the same form the next time."""
    return failed(f"the answer can't be used: {what}")


def text_from(value: object) -> str:
    """Return a text; of another JSON value, its JSON text.

    Raises:
        ModelError: it is null, or too long.
    """
    if value is None:
        raise unusable("the text is null")
    if isinstance(value, str):
        text = value
    elif is_shallow(value):
        text = json.dumps(value, ensure_ascii=False)
    else:
        raise unusable("it is nested too deeply")
    check_length(len(text))
    return text


def contexts_from(value: object) -> tuple[str, ...]:
    """Return contexts: from a list of texts, of objects with a text, or from one text.

    Raises:
        ModelError: they are something else, or too many.
    """
    if value is None:
        return ()
    listed_values = value if isinstance(value, list | tuple) else [value]
    if len(listed_values) > MAX_CONTEXTS:
        raise unusable(f"more than {MAX_CONTEXTS:,} contexts")
    contexts = tuple(map(_context, listed_values))
    check_length(sum(map(len, contexts)))
    return contexts


def _context(value: object) -> str:
    if isinstance(value, Mapping):
        value = next((value[key] for key in CONTEXT_KEYS if key in value), None)
    if not isinstance(value, str):
        names = ", ".join(f"`{key}`" for key in CONTEXT_KEYS)
        raise unusable(f"a context is a text, or an object with {names}, not {kind_of(value)}")
    return value


def calls_from(value: object) -> tuple[ToolCall, ...]:
    """Return tool calls: from a list of objects with `name` and `arguments`, or of OpenAI's.

    Raises:
        ModelError: they are something else, or too many.
    """
    if value is None:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, str) or not is_shallow(list(value)):
        raise unusable(f"`tool_calls` is a list, not {kind_of(value)}")
    check_calls(len(value))
    return tuple(map(_call, value))


def _call(value: object) -> ToolCall:
    fields = value if isinstance(value, Mapping) else {}
    inner = fields.get("function")
    function = inner if isinstance(inner, Mapping) else fields
    name = function.get("name")
    if not isinstance(name, str):
        raise unusable(f"a tool call is {{name, arguments}}, not {kind_of(value)}")
    arguments: object = next(
        (function[key] for key in ("arguments", "args") if key in function), {}
    )
    return ToolCall(label(fields.get("id")) or "", label(name) or "", arguments_text(arguments))


def usage_from(value: object) -> Usage | None:
    """Return token counts in OpenAI's or Anthropic's words; None if there are none.

    Raises:
        ModelError: they are no counts.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise unusable(f"`usage` is an object such as {{prompt_tokens: 7}}, not {kind_of(value)}")
    counts = [
        next((value[name] for name in names if value.get(name) is not None), None)
        for names in (PROMPT_COUNTS, COMPLETION_COUNTS)
    ]
    cached, reasoning = value.get("cached_tokens", 0), value.get("reasoning_tokens", 0)
    usage = token_usage(counts[:1], counts[1:], cached=cached, reasoning=reasoning)
    if usage is None or counts == [None, None]:
        raise unusable("`usage` has `prompt_tokens` and `completion_tokens`, whole numbers from 0")
    return usage


def cost_from(value: object) -> float | None:
    """Return US dollars.

    Raises:
        ModelError: it is no amount of them.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise unusable(f"`cost` is a number of US dollars, not {kind_of(value)}")
    if not 0 <= value <= MAX_COST:
        raise unusable(f"`cost` is from 0 to {MAX_COST:,} US dollars")
    return float(value)


def metadata_from(value: object) -> Mapping[str, Any] | None:
    """Return metadata.

    Raises:
        ModelError: it is no object, or too large.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise unusable(f"`metadata` is an object, not {kind_of(value)}")
    if not (is_shallow(value) and is_finite(value)):
        raise unusable("`metadata` is nested too deeply, or has NaN or infinity")
    try:
        text = json.dumps(value)
    except (TypeError, ValueError) as error:
        raise unusable(f"`metadata` is no JSON: {printable(str(error))}") from None
    if len(text) > MAX_METADATA_CHARS:
        raise unusable(f"`metadata` has more than {MAX_METADATA_CHARS:,} characters")
    return dict(value)


def session_from(value: object) -> str | None:
    """Return a session's id.

    Raises:
        ModelError: it is none.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise unusable(f"a session's id is a text or a number, not {kind_of(value)}")
    return label(str(value))


def kind_of(value: object) -> str:
    """Return how a message calls the type of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        return "an object"
    return {"list": "a list", "str": "a text", "bool": "true or false"}.get(
        type(value).__name__, f"a {type(value).__name__}"
    )
