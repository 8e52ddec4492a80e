"""Reads answers of Bedrock's Converse API, as JSON. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.errors import ContentFilteredError
from lve.messages import Completion, ToolCall, Usage
from lve.models.bedrock.request import API, STATE_BLOCKS
from lve.models.chat_model import is_count
from lve.models.http.answers import (
    arguments_text,
    check_calls,
    check_length,
    label,
    parse_success,
    text_or_none,
)
from lve.models.http.decode import is_shallow, objects
from lve.models.http.failures import malformed
from lve.models.http.keys import Secret

FINISH_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
}
"""The API's reason -> the one that lve's checks know. Others stay as they are."""
WITHHELD = ("content_filtered", "guardrail_intervened")


def parse_converse(body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
    """Return the completion in an answer.

    Raises:
        TransientModelError: it is malformed.
        ContentFilteredError: a filter or a guardrail stopped it.
    """
    data = parse_success(body, secret=secret)
    output = data.get("output")
    message = output.get("message") if isinstance(output, Mapping) else None
    content = message.get("content") if isinstance(message, Mapping) else None
    return completion_of(content, data.get("stopReason"), data.get("usage"), latency_s=latency_s)


def completion_of(
    content: Any,
    stop_reason: Any,
    usage: Any,
    *,
    latency_s: float,
    first_token_s: float | None = None,
) -> Completion:
    """Return the completion of an answer's parts; errors as in `parse_converse`.

    Args:
        content: the blocks of the message.
        stop_reason: why the answer ended.
        usage: the token counts.
        latency_s: the completion's latency.
        first_token_s: the completion's time to the first token.
    """
    if not isinstance(content, list) or not is_shallow(content):
        raise malformed("the message has no list of contents")
    reason = label(stop_reason)
    if reason is None:
        raise malformed("the message has no stopReason")
    if reason in WITHHELD:
        raise ContentFilteredError(
            f"the provider held the answer back (stopReason: {reason})",
            kind="content_filter",
            status=200,
        )
    blocks = objects(content)
    text = "".join(text_or_none(block.get("text")) or "" for block in blocks)
    thoughts = [_thought(block.get("reasoningContent")) for block in blocks]
    reasoning = "\n\n".join(filter(None, thoughts))
    check_length(len(text) + len(reasoning))
    calls = objects([block.get("toolUse") for block in blocks])
    check_calls(len(calls))
    return Completion(
        text=text,
        finish_reason=FINISH_REASONS.get(reason, reason),
        usage=parse_usage(usage),
        latency_s=latency_s,
        first_token_s=first_token_s,
        tool_calls=tuple(map(_call, calls)),
        reasoning=reasoning or None,
        provider_state=_state(blocks),
    )


def _thought(content: Any) -> str:
    inner = content.get("reasoningText") if isinstance(content, Mapping) else None
    return (text_or_none(inner.get("text")) or "") if isinstance(inner, Mapping) else ""


def _call(call: Mapping[str, Any]) -> ToolCall:
    arguments = arguments_text(call.get("input", {}))
    return ToolCall(label(call.get("toolUseId")) or "", label(call.get("name")) or "", arguments)


def _state(blocks: Sequence[Mapping[str, Any]]) -> Any:
    """Return the answer's blocks if some hold thoughts, which the API wants back unchanged."""
    if not any("reasoningContent" in block for block in blocks):
        return None
    return {"api": API, "content": [block for block in blocks if block.keys() <= STATE_BLOCKS]}


def parse_usage(usage: Any) -> Usage | None:
    """Return the token counts; None if there are none or impossible ones. What was read from the
    provider's cache or written to it counts as prompt."""
    if not isinstance(usage, Mapping):
        return None
    fresh, written, cached, completion = (
        usage.get(name) or 0
        for name in (
            *("inputTokens", "cacheWriteInputTokens", "cacheReadInputTokens", "outputTokens"),
        )
    )
    if not all(map(is_count, (fresh, written, cached, completion))):
        return None
    prompt = fresh + written + cached
    return Usage(prompt, completion, cached) if is_count(prompt) else None


def parse_models(body: bytes, *, secret: Secret | None) -> list[str]:
    """Return the names of models and inference profiles that the transport has collected."""
    names = parse_success(body, secret=secret).get("names")
    if not isinstance(names, list):
        raise malformed("a list of models was expected")
    return sorted({name for one in names if (name := label(one)) is not None})
