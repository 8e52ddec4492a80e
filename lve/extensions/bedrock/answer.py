"""Reads answers of Bedrock's Converse API, as JSON. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lve.errors import ContentFilteredError
from lve.extensions.bedrock.request import API, STATE_BLOCKS
from lve.json_types import JsonObject
from lve.messages import Completion, ToolCall, Usage
from lve.models.http.answers import (
    MESSAGE_FINISH_REASONS,
    arguments_text,
    check_calls,
    check_length,
    label,
    parse_success,
    text_or_none,
    token_usage,
)
from lve.models.http.failures import malformed
from lve.models.http.json_body import is_shallow, objects
from lve.models.http.keys import Secret

FILTERED_REASONS = ("content_filtered", "guardrail_intervened")
"""Stop reasons of answers that were withheld."""


def parse_converse(body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
    """Return the completion in the body of a successful response.

    Raises:
        TransientModelError: the body is malformed.
        ContentFilteredError: a filter or a guardrail withheld the answer.
    """
    data = parse_success(body, secret=secret)
    output = data.get("output")
    message = output.get("message") if isinstance(output, Mapping) else None
    content = message.get("content") if isinstance(message, Mapping) else None
    return completion_of(content, data.get("stopReason"), data.get("usage"), latency_s=latency_s)


def completion_of(
    content: object,
    stop_reason: object,
    usage: object,
    *,
    latency_s: float,
    first_token_s: float | None = None,
) -> Completion:
    """Return the completion with these parts; errors as in `parse_converse`.

    Args:
        content: the message's blocks.
        stop_reason: the API's reason for the answer's end.
        usage: the token counts.
        latency_s: the completion's latency.
        first_token_s: the completion's time to the first token.
    """
    if not isinstance(content, list) or not is_shallow(content):
        raise malformed("the message has no list of contents")
    reason = label(stop_reason)
    if reason is None:
        raise malformed("the message has no stopReason")
    if reason in FILTERED_REASONS:
        raise ContentFilteredError(
            f"the provider held the answer back (stopReason: {reason})",
            kind="content_filter",
            status=200,
        )
    blocks = objects(content)
    text = "".join(text_or_none(block.get("text")) or "" for block in blocks)
    reasoning = "\n\n".join(filter(None, map(_reasoning, blocks)))
    check_length(len(text) + len(reasoning))
    calls = objects([block.get("toolUse") for block in blocks])
    check_calls(len(calls))
    return Completion(
        text=text,
        finish_reason=MESSAGE_FINISH_REASONS.get(reason, reason),
        usage=parse_usage(usage),
        latency_s=latency_s,
        first_token_s=first_token_s,
        tool_calls=tuple(map(_call, calls)),
        reasoning=reasoning or None,
        provider_state=_state(blocks),
    )


def _reasoning(block: JsonObject) -> str:
    content = block.get("reasoningContent")
    inner = content.get("reasoningText") if isinstance(content, Mapping) else None
    return (text_or_none(inner.get("text")) or "") if isinstance(inner, Mapping) else ""


def _call(call: JsonObject) -> ToolCall:
    arguments = arguments_text(call.get("input", {}))
    return ToolCall(label(call.get("toolUseId")) or "", label(call.get("name")) or "", arguments)


def _state(blocks: Sequence[JsonObject]) -> object:
    """Return the answer's blocks as `provider_state` if it has reasoning, which the API wants back
    unchanged; else None."""
    if not any("reasoningContent" in block for block in blocks):
        return None
    return {"api": API, "content": [block for block in blocks if block.keys() <= STATE_BLOCKS]}


def parse_usage(usage: object) -> Usage | None:
    """Return an answer's token counts; None if there are none or impossible ones. Tokens that were
    read from the provider's cache or written to it are part of the prompt."""
    if not isinstance(usage, Mapping):
        return None
    cached = usage.get("cacheReadInputTokens")
    prompt = (usage.get("inputTokens"), usage.get("cacheWriteInputTokens"), cached)
    return token_usage(prompt, (usage.get("outputTokens"),), cached=cached)
