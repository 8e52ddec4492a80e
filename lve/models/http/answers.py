"""Reads what the answers of all APIs have in common, within limits: JSON, texts, token counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import inf
from typing import Any

from lve.errors import PermanentModelError
from lve.escape import head
from lve.json_types import JsonObject, JsonValue
from lve.messages import Usage
from lve.models.chat_model import is_count, is_part
from lve.models.http.failures import error_in_success, has_error, malformed, printable
from lve.models.http.json_body import decode, is_finite, is_shallow, objects
from lve.models.http.keys import Secret
from lve.models.token_scores import readable_logprob

MAX_TEXT_CHARS = 8 * 1024 * 1024
"""Maximum length of an answer; no model writes as much."""
MAX_LISTED_MODELS = 10_000
"""Maximum number of a server's models that are listed."""
MAX_CALLS = 1_000
"""Maximum number of tool calls in one answer."""
MAX_PARTS = 10_000
"""Maximum number of blocks or parts of a streamed answer, after joining texts."""
MAX_LABEL_CHARS = 256
"""Longer model names and finish reasons are shortened."""
MESSAGE_FINISH_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
}
"""Stop reason of Anthropic and Bedrock -> finish reason in lve. Others stay unchanged."""


def parse_success(body: bytes, *, secret: Secret | None = None) -> JsonObject:
    """Return the JSON object in the body of a response with status 200.

    Args:
        body: the body.
        secret: the key in use, removed from messages of the server.

    Raises:
        TransientModelError: the body isn't a JSON object, but truncated or a web page, say.
        ModelError: the body is an error object, as some gateways send it with status 200.
    """
    data = parse_object(body, secret=secret)
    if data.get("error") or ("choices" not in data and has_error(data)):
        raise error_in_success(data, secret=secret)
    return data


def parse_object(body: bytes, *, secret: Secret | None = None) -> JsonObject:
    """Return the JSON object in a body, which may be an error object; arguments as
    `parse_success`.

    Raises:
        TransientModelError: the body isn't a JSON object.
    """
    try:
        data = decode(body)
    except ValueError:
        text = body[:1000].decode("utf-8", "replace")
        start = printable(head(secret.hide(text) if secret else text, 60))
        raise malformed(f"not JSON, or cut short: {start!r}") from None
    if not isinstance(data, dict):
        raise malformed(f"a JSON object was expected, not {type(data).__name__}")
    return data


def check_length(characters: int) -> None:
    """Raise a TransientModelError if an answer has more than `MAX_TEXT_CHARS` characters."""
    if characters > MAX_TEXT_CHARS:
        raise malformed(f"a text of more than {MAX_TEXT_CHARS} characters")


def check_parts(count: int, parts: str) -> None:
    """Raise a TransientModelError if an answer has more than `MAX_PARTS` parts.

    Args:
        count: their number.
        parts: what the provider calls them.
    """
    if count > MAX_PARTS:
        raise malformed(f"more than {MAX_PARTS} {parts}")


def text_or_none(value: object) -> str | None:
    """Return `value` if it is a text, else None: a detail of a wrong type shouldn't fail the
    answer."""
    return value if isinstance(value, str) else None


def label(value: Any) -> str | None:
    """Return a name, shortened to `MAX_LABEL_CHARS`; None if it isn't a text."""
    if not isinstance(value, str):
        return None
    return value if len(value) <= MAX_LABEL_CHARS else head(value, MAX_LABEL_CHARS) + "..."


def parse_models(body: bytes, *, secret: Secret | None = None) -> list[str]:
    """Return the names in a list of models (`{"data": [{"id": ...}]}`), sorted, at most
    `MAX_LISTED_MODELS`.

    Raises:
        TransientModelError: the body isn't such a list.
    """
    data = parse_success(body, secret=secret).get("data")
    if not isinstance(data, list):
        raise malformed("a list of models was expected")
    names = {name for model in objects(data) if (name := label(model.get("id"))) is not None}
    return sorted(names)[:MAX_LISTED_MODELS]


def listed_logprobs(entries: Sequence[JsonValue]) -> list[JsonValue] | None:
    """Return the log-probabilities of tokens in the format of chat completions, with numbers that
    JSON has; None if there are none or they can't be stored as JSON.

    Args:
        entries: one object a token, fresh from a response; their log-probabilities are replaced.
    """
    if not entries or not is_shallow(entries):
        return None
    for entry in objects(entries):
        tokens: list[Any] = [entry, *objects(entry.get("top_logprobs"))]
        for token in tokens:
            number = token.get("logprob")
            if isinstance(number, str) or number == -inf:
                token["logprob"] = readable_logprob(number)
    return [*entries] if is_finite(entries) else None


def token_count(value: Any) -> Any:
    """Return a token count that a server sent as a text or a fraction as a whole number, 0 for
    null; anything else unchanged."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 11:
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value or 0


def token_usage(
    prompt: Sequence[Any], completion: Sequence[Any], *, cached: object = 0, reasoning: object = 0
) -> Usage | None:
    """Return an answer's token counts; None if one is impossible, so that a budget assumes the
    worst case.

    Args:
        prompt: counts whose sum is the prompt, as the server sent them; None counts as 0.
        completion: counts whose sum is the completion.
        cached: the part of the prompt that the provider had cached; 0 if it is no such part.
        reasoning: the part of the completion that is reasoning; 0 if it is no such part.
    """
    prompt, completion = [*map(token_count, prompt)], [*map(token_count, completion)]
    if not all(map(is_count, (*prompt, *completion))):
        return None
    prompt_tokens, answered = sum(prompt), sum(completion)
    cached, reasoning = token_count(cached), token_count(reasoning)
    if not (is_count(prompt_tokens) and is_count(answered)):
        return None
    return Usage(
        prompt_tokens,
        answered,
        cached if is_part(cached, prompt_tokens) else 0,
        reasoning if is_part(reasoning, answered) else 0,
    )


def arguments_text(value: object) -> str:
    """Return a tool call's arguments as JSON text, as lve keeps them.

    Args:
        value: the arguments as parsed from JSON; or a text, if the model wrote no valid JSON.

    Raises:
        TransientModelError: the text is too long.
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    check_length(len(text))
    return text


def check_calls(count: int) -> None:
    """Raise a PermanentModelError if an answer has more than `MAX_CALLS` tool calls."""
    if count > MAX_CALLS:
        raise PermanentModelError(
            f"the model asks for more than {MAX_CALLS:,} tools at once", kind="too_many_calls"
        )
