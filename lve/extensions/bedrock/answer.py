"""Reads answers of Bedrock's Converse API, as JSON, whole or streamed."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from lve.errors import ContentFilteredError
from lve.extensions.bedrock.request import API, STATE_BLOCKS
from lve.json_types import JsonObject, as_object
from lve.messages import Completion, ToolCall, Usage
from lve.models.http.answers import (
    MESSAGE_FINISH_REASONS,
    arguments_text,
    check_calls,
    check_length,
    check_parts,
    label,
    parse_success,
    text_or_none,
    token_usage,
)
from lve.models.http.events import OVER_S, WHOLE_S, StreamAccumulator
from lve.models.http.failures import malformed
from lve.models.http.json_body import is_shallow, objects
from lve.models.http.keys import Secret
from lve.models.http.parts import parsed_arguments

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


class ConverseAccumulator(StreamAccumulator):
    """Joins the events of one answer."""

    end_signs = (b"messageStop", b"metadata")

    def __init__(self) -> None:
        self.first_token_at: float | None = None
        self._places: dict[int, int] = {}
        """Index -> place of the open block of it: some servers number all blocks 0."""
        self._calls: dict[int, Mapping[str, object]] = {}
        self._pieces: dict[int, dict[str, list[str]]] = {}
        self._length = 0
        self._stop_reason: object = None
        self._usage: object = None

    @property
    def kept_values(self) -> int:
        """Number of blocks."""
        return len(self._pieces)

    def add(self, chunk: JsonObject) -> None:
        """Add one event; unknown types are skipped.

        Raises:
            TransientModelError: the event is malformed, or the answer is too long.
        """
        if start := as_object(chunk.get("contentBlockStart")):
            self._start(_index(start), as_object(as_object(start.get("start")).get("toolUse")))
        if delta := as_object(chunk.get("contentBlockDelta")):
            self._add(_index(delta), as_object(delta.get("delta")))
        if block_stop := as_object(chunk.get("contentBlockStop")):
            self._places.pop(_index(block_stop), None)
        if stop := as_object(chunk.get("messageStop")):
            self._stop_reason = stop.get("stopReason")
            self.patience_s = WHOLE_S
        if metadata := as_object(chunk.get("metadata")):
            self._usage = metadata.get("usage")
        if self._stop_reason is not None and self._usage is not None:
            self.patience_s = OVER_S

    @staticmethod
    def text_in(chunk: JsonObject) -> str:
        """Return the piece of the answer's text in an event."""
        text = as_object(as_object(chunk.get("contentBlockDelta")).get("delta")).get("text")
        return text if isinstance(text, str) else ""

    def completion(
        self, *, latency_s: float, first_token_s: float | None, done: bool, secret: Secret | None
    ) -> Completion:
        """Return the completion at the end of the stream."""
        if self._stop_reason is None:
            raise malformed("the stream broke off")
        content = [self._joined_block(place) for place in self._pieces]
        return completion_of(
            content,
            self._stop_reason,
            self._usage,
            latency_s=latency_s,
            first_token_s=first_token_s,
        )

    def _start(self, index: int, call: JsonObject) -> None:
        self._block(index)
        if call:
            self._calls[self._places[index]] = call
            self._first_token()

    def _add(self, index: int, delta: JsonObject) -> None:
        reasoning = as_object(delta.get("reasoningContent"))
        pieces_of_event = {
            "text": delta.get("text"),
            "input": as_object(delta.get("toolUse")).get("input"),
            "reasoning": reasoning.get("text"),
            "signature": reasoning.get("signature"),
            "redacted": reasoning.get("redactedContent"),
        }
        pieces = self._block(index)
        for name, piece in pieces_of_event.items():
            if isinstance(piece, str):
                pieces.setdefault(name, []).append(piece)
                self._length += len(piece)
                check_length(self._length)
        if pieces_of_event["text"]:
            self._first_token()

    def _block(self, index: int) -> dict[str, list[str]]:
        place = self._places.setdefault(index, len(self._pieces))
        pieces = self._pieces.setdefault(place, {})
        check_parts(len(self._pieces), "blocks")
        return pieces

    def _first_token(self) -> None:
        if self.first_token_at is None:
            self.first_token_at = time.perf_counter()

    def _joined_block(self, place: int) -> dict[str, object]:
        """Return a block with its joined pieces."""
        texts = {name: "".join(pieces) for name, pieces in self._pieces[place].items()}
        if place in self._calls:
            arguments = parsed_arguments(texts.get("input", ""))
            return {"toolUse": {**self._calls[place], "input": arguments}}
        if "redacted" in texts:
            return {"reasoningContent": {"redactedContent": texts["redacted"]}}
        if "reasoning" in texts or "signature" in texts:
            signature = {"signature": texts["signature"]} if "signature" in texts else {}
            reasoning = {"text": texts.get("reasoning", ""), **signature}
            return {"reasoningContent": {"reasoningText": reasoning}}
        return {"text": texts.get("text", "")}


def _index(event: JsonObject) -> int:
    index = event.get("contentBlockIndex")
    if not isinstance(index, int):
        raise malformed("a block of the stream has no index")
    return index
