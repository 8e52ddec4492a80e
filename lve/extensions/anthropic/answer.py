"""Reads answers of Anthropic's Messages API. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lve.errors import ContentFilteredError
from lve.extensions.anthropic.request_parts import API, STATE_BLOCKS
from lve.json_types import JsonObject
from lve.messages import Completion, ToolCall, Usage
from lve.models.http.answers import (
    MESSAGE_FINISH_REASONS,
    arguments_text,
    check_calls,
    check_length,
    label,
    text_or_none,
    token_usage,
)
from lve.models.http.failures import malformed, printable
from lve.models.http.json_body import is_finite, is_shallow, objects
from lve.models.http.keys import Secret


def completion_of(
    message: Mapping[str, object],
    *,
    latency_s: float,
    first_token_s: float | None = None,
    secret: Secret | None = None,
) -> Completion:
    """Return the completion in a message.

    Raises:
        TransientModelError: the message is malformed.
        ContentFilteredError: the provider withheld the answer.
    """
    content = message.get("content")
    if not isinstance(content, list) or not is_shallow(content):
        raise malformed("the message has no list of contents")
    reason = label(message.get("stop_reason"))
    if reason == "refusal":
        raise _refusal(message.get("stop_details"), secret)
    if reason is None:
        raise malformed("the message has no stop_reason")
    blocks = objects(content)
    texts = [text_or_none(block.get("text")) or "" for block in _of(blocks, "text")]
    thinking = [text_or_none(block.get("thinking")) or "" for block in _of(blocks, "thinking")]
    text, reasoning = "".join(texts), "\n\n".join(filter(None, thinking))
    check_length(len(text) + len(reasoning))
    calls = _of(blocks, "tool_use")
    check_calls(len(calls))
    return Completion(
        text=text,
        finish_reason=MESSAGE_FINISH_REASONS.get(reason, reason),
        usage=parse_usage(message.get("usage")),
        latency_s=latency_s,
        first_token_s=first_token_s,
        model=label(message.get("model")),
        tool_calls=tuple(map(_call, calls)),
        reasoning=reasoning or None,
        provider_state=_state(blocks),
    )


def _of(blocks: Sequence[JsonObject], kind: str) -> list[JsonObject]:
    return [block for block in blocks if block.get("type") == kind]


def _call(block: JsonObject) -> ToolCall:
    arguments = arguments_text(block.get("input", {}))
    return ToolCall(label(block.get("id")) or "", label(block.get("name")) or "", arguments)


def _state(blocks: Sequence[JsonObject]) -> object:
    """Return the answer's blocks as `provider_state` if it has reasoning, which the API wants back
    unchanged; else None."""
    returned = [block for block in blocks if block.get("type") in STATE_BLOCKS]
    has_reasoning = any(block["type"] in ("thinking", "redacted_thinking") for block in returned)
    return {"api": API, "content": returned} if has_reasoning and is_finite(returned) else None


def _refusal(details: object, secret: Secret | None) -> ContentFilteredError:
    fields = details if isinstance(details, Mapping) else {}
    category = text_or_none(fields.get("category"))
    why = text_or_none(fields.get("explanation"))
    text = ": ".join(filter(None, (category, why)))
    text = printable(secret.hide(text) if secret else text)
    return ContentFilteredError(
        "the provider stopped the answer (stop_reason: refusal)" + (f": {text}" if text else ""),
        kind="content_filter",
        status=200,
    )


def parse_usage(usage: object) -> Usage | None:
    """Return an answer's token counts; None if there are none or impossible ones. Tokens that were
    read from the provider's cache or written to it are part of the prompt."""
    if not isinstance(usage, Mapping):
        return None
    cached = usage.get("cache_read_input_tokens")
    details = usage.get("output_tokens_details")
    return token_usage(
        (usage.get("input_tokens"), usage.get("cache_creation_input_tokens"), cached),
        (usage.get("output_tokens"),),
        cached=cached,
        reasoning=details.get("thinking_tokens") if isinstance(details, Mapping) else 0,
    )
