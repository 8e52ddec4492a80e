"""Reads answers of Anthropic's Messages API, whole or streamed."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from operator import attrgetter

from lve.errors import ContentFilteredError
from lve.extensions.anthropic.request_parts import API, STATE_BLOCKS
from lve.json_types import JsonObject, JsonValue, as_object
from lve.messages import Completion, ToolCall, Usage
from lve.models.http.answers import (
    MESSAGE_FINISH_REASONS,
    arguments_text,
    check_calls,
    check_length,
    check_parts,
    label,
    text_or_none,
    token_usage,
)
from lve.models.http.events import OVER_S, StreamAccumulator
from lve.models.http.failures import malformed, printable
from lve.models.http.json_body import is_finite, is_shallow, objects
from lve.models.http.keys import Secret
from lve.models.http.parts import parsed_arguments
from lve.named_tuples import NamedTuple


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


_PIECES = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": "partial_json",
}
"""Type of a delta -> its field with the next piece."""


class _Block(NamedTuple):
    """A block whose pieces arrive."""

    place: int
    fields: dict[str, JsonValue]
    pieces: dict[str, list[str]]

    def joined(self) -> dict[str, JsonValue]:
        """Return the block with its joined pieces."""
        for name, pieces in self.pieces.items():
            text = "".join(pieces)
            if name == "partial_json":
                self.fields["input"] = parsed_arguments(text)
            else:
                self.fields[name] = text
        return self.fields


class MessageAccumulator(StreamAccumulator):
    """Joins the events of one message."""

    end_signs = (b"message_stop",)

    def __init__(self) -> None:
        self.first_token_at: float | None = None
        self._message: dict[str, JsonValue] = {}
        self._usage: dict[str, JsonValue] = {}
        self._blocks: list[_Block] = []
        self._latest: dict[int, _Block] = {}
        """Index -> the latest block of it: some servers number all blocks 0."""
        self._length = 0
        self._is_over = False
        """Whether a reason for the end has come after the blocks."""

    @property
    def kept_values(self) -> int:
        """Number of blocks."""
        return len(self._blocks)

    def add(self, chunk: JsonObject) -> None:
        """Add one event; unknown types are skipped, as the API's documentation asks for.

        Raises:
            TransientModelError: the event is malformed, or the answer is too long.
        """
        kind = chunk.get("type")
        if kind == "message_start":
            self._start(chunk.get("message"))
        elif kind == "content_block_start":
            self._start_block(chunk.get("index"), chunk.get("content_block"))
        elif kind == "content_block_delta":
            self._add_piece(chunk.get("index"), chunk.get("delta"))
        elif kind == "message_delta":
            delta = as_object(chunk.get("delta"))
            self._message |= delta
            self._is_over = self._is_over or delta.get("stop_reason") is not None
            self._add_usage(chunk.get("usage"))
        elif kind == "message_stop":
            self.patience_s = OVER_S

    @staticmethod
    def text_in(chunk: JsonObject) -> str:
        """Return the piece of the answer's text in an event."""
        text = as_object(chunk.get("delta") or chunk.get("content_block")).get("text")
        return text if isinstance(text, str) else ""

    def completion(
        self, *, latency_s: float, first_token_s: float | None, done: bool, secret: Secret | None
    ) -> Completion:
        """Return the completion at the end of the stream."""
        # Some gateways leave `message_stop` out: the reason comes when all blocks are there.
        if self.patience_s is None and not self._is_over:
            raise malformed("the stream broke off")
        content = [block.joined() for block in sorted(self._blocks, key=attrgetter("place"))]
        message = {**self._message, "content": content, "usage": self._usage or None}
        return completion_of(
            message, latency_s=latency_s, first_token_s=first_token_s, secret=secret
        )

    def _start(self, message: object) -> None:
        fields = as_object(message)
        self._message = {name: fields[name] for name in ("model", "stop_reason") if name in fields}
        self._add_usage(fields.get("usage"))

    def _add_usage(self, usage: object) -> None:
        """Update the token counts: an event has the totals so far, but not always all of them."""
        counts = as_object(usage)
        self._usage |= {name: count for name, count in counts.items() if count is not None}

    def _start_block(self, index: object, block: object) -> None:
        if not isinstance(index, int) or not isinstance(block, Mapping):
            raise malformed("a block of the stream has no index or content")
        check_parts(len(self._blocks) + 1, "blocks")
        self._latest[index] = _Block(index, dict(block), {})
        self._blocks.append(self._latest[index])
        for name in ("text", "thinking"):
            self._append(index, name, block.get(name))
        if self.first_token_at is None and block.get("type") == "tool_use":
            self.first_token_at = time.perf_counter()

    def _add_piece(self, index: object, delta: object) -> None:
        fields = as_object(delta)
        name = _PIECES.get(str(fields.get("type")))
        if name is None:
            return
        if name == "text" and isinstance(index, int) and index not in self._latest:
            self._start_block(index, {"type": "text", "text": ""})  # gateways leave that out
        if not isinstance(index, int) or index not in self._latest:
            raise malformed("a piece of a block that hasn't begun")
        self._append(index, name, fields.get(name))
        if self.first_token_at is None and name == "text":
            self.first_token_at = time.perf_counter()

    def _append(self, index: int, name: str, piece: object) -> None:
        if isinstance(piece, str) and piece:
            self._latest[index].pieces.setdefault(name, []).append(piece)
            self._length += len(piece)
            check_length(self._length)
