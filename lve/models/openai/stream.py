"""Reads a streamed answer: server-sent events, their pieces joined to a completion."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from lve.messages import Completion
from lve.models.openai.decode import MOST_MEMORY, decode, memory_of, objects
from lve.models.openai.failures import error_in_success, malformed
from lve.models.openai.keys import Secret
from lve.models.openai.wire import (
    answer_text,
    check_length,
    first_choice,
    label,
    logprobs_of,
    parse_chat,
    parse_usage,
    text_or_none,
)

BATCH = 64 * 1024
"""Bytes of events that are parsed together, which takes a third of the time of one by one."""


class StreamReader:
    """Collects the events of one streamed chat completion as they arrive.

    The format is the part of the HTML standard's "Server-sent events" that OpenAI uses: `data:`
    lines with one JSON object each, the last one `[DONE]`. Events are parsed and discarded soon
    after they arrive.
    """

    __slots__ = (
        "_answer",
        "_done",
        "_events",
        "_memory",
        "_other",
        "_pending",
        "_rest",
        "_started",
    )

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._rest = bytearray()
        self._events: list[bytes] = []
        self._pending = 0
        self._other = bytearray()
        self._done = False
        self._answer: JoinedAnswer | None = None
        self._memory = 0

    @property
    def first_token_s(self) -> float | None:
        """Seconds from making the reader to the first event with text."""
        at = None if self._answer is None else self._answer.first_token_at
        return None if at is None else at - self._started

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body, in pieces of any size.

        Raises:
            TransientModelError: an event isn't a JSON object, or the answer is too large.
        """
        if b"\n" not in data:  # linear time even if a line comes in a million pieces
            self._rest += data
            return
        *lines, rest = (bytes(self._rest) + data).split(b"\n")
        self._rest = bytearray(rest)
        for line in lines:
            if line.startswith(b"data:"):
                self._take(line[5:].strip())
            elif self._answer is None:
                self._other += line
                self._other += b"\n"
        if self.first_token_s is None or self._pending >= BATCH:
            self._parse()

    def completion(self, *, latency_s: float, secret: Secret | None = None) -> Completion:
        """Return the completion, after the end of the body.

        Raises:
            TransientModelError: the stream broke off or has no content.
            PermanentModelError: an event is a permanent error.
        """
        if self._answer is None:
            # Some servers ignore `stream` and send one JSON object.
            return parse_chat(bytes(self._other + self._rest), latency_s=latency_s, secret=secret)
        self._parse()
        return self._answer.completion(
            latency_s=latency_s, first_token_s=self.first_token_s, done=self._done, secret=secret
        )

    def _take(self, event: bytes) -> None:
        if self._answer is None:
            self._answer = JoinedAnswer()
            self._other.clear()
        if event == b"[DONE]":
            self._done = True
        else:
            self._events.append(event)
            self._pending += len(event) + 1

    def _parse(self) -> None:
        """Parse the pending events and add them to the answer."""
        if self._answer is None or not self._events:
            return
        batch = b"[" + b",".join(self._events) + b"]"
        self._events, self._pending = [], 0
        try:
            chunks = decode(batch)
        except ValueError:
            raise malformed("an event of the stream is not JSON, or cut short") from None
        if not all(isinstance(chunk, Mapping) for chunk in chunks):
            raise malformed("an event of the stream is not an object")
        kept = self._answer.kept
        for chunk in chunks:
            self._answer.add(chunk)
        if self._answer.kept > kept:
            self._memory += memory_of(batch)
            if self._memory > MOST_MEMORY:
                raise malformed("the stream has too many values")


class JoinedAnswer:
    """The answer in a stream's events so far."""

    def __init__(self) -> None:
        self.first_token_at: float | None = None
        """Time of the first text, in seconds (`time.perf_counter`)."""
        self._texts: dict[str, list[str]] = {}
        self._length = 0
        self._calls = _ToolCalls()
        self._logprobs: list[Any] = []
        self._first: Mapping[str, Any] | None = None
        self._has_choices = False
        self._finish_reason: str | None = None
        self._usage: Any = None
        self._error: Mapping[str, Any] | None = None

    @property
    def kept(self) -> int:
        """Number of values kept from the events, except texts."""
        return len(self._logprobs) + len(self._calls)

    def add(self, chunk: Mapping[str, Any]) -> None:
        """Add one event.

        Raises:
            TransientModelError: its choices are malformed, or the text is too long.
        """
        if self._first is None:
            self._first = {"model": chunk.get("model")}
        if self._error is None and chunk.get("error"):
            self._error = chunk
        self._usage = self._usage or chunk.get("usage")
        if chunk.get("choices"):
            self._has_choices = True
            self._add_choice(first_choice(chunk))

    def completion(
        self, *, latency_s: float, first_token_s: float | None, done: bool, secret: Secret | None
    ) -> Completion:
        """Return the completion at the end of the stream.

        Args:
            latency_s: the completion's latency.
            first_token_s: the completion's time to the first token.
            done: whether the server sent `[DONE]`.
            secret: the key in use, removed from messages of the server.

        Raises:
            TransientModelError: the stream broke off or has no content.
            PermanentModelError: an event is a permanent error.
        """
        if self._error is not None:
            raise error_in_success(self._error, secret=secret)
        if not done and self._finish_reason is None:
            raise malformed("the stream broke off")
        if not self._has_choices:
            first_choice({})
        return Completion(
            text=answer_text(self._message(), self._finish_reason),
            finish_reason=self._finish_reason,
            usage=parse_usage(self._usage),
            latency_s=latency_s,
            first_token_s=first_token_s,
            model=label(self._first and self._first["model"]),
            logprobs=self._logprobs or None,
        )

    def _add_choice(self, choice: Mapping[str, Any]) -> None:
        self._finish_reason = self._finish_reason or label(choice.get("finish_reason"))
        self._logprobs += logprobs_of(choice) or ()
        delta = choice.get("delta")
        if not isinstance(delta, Mapping):
            return
        calls = objects(delta.get("tool_calls"))
        for call in calls:
            self._calls.add(call)
        for name in ("content", "refusal"):
            self._add_text(name, delta.get(name))
        if self.first_token_at is None and (self._length or calls):
            self.first_token_at = time.perf_counter()

    def _add_text(self, name: str, text: Any) -> None:
        if isinstance(text, str):
            self._texts.setdefault(name, []).append(text)
            self._length += len(text)
            check_length(self._length)

    def _message(self) -> dict[str, Any]:
        """Return the joined message."""
        message: dict[str, Any] = {name: "".join(texts) for name, texts in self._texts.items()}
        if self._calls:
            message["tool_calls"] = self._calls.whole()
            # The content of the first event is often "", which would hide the calls.
            message["content"] = message.get("content") or None
        return message


class _ToolCalls:
    """Joins tool calls by their index, which servers leave out if there is only one call."""

    def __init__(self) -> None:
        self._calls: dict[int | None, dict[str, Any]] = {}
        self._arguments: dict[int | None, list[str]] = {}

    def __len__(self) -> int:
        return len(self._calls)

    def add(self, piece: Mapping[str, Any]) -> None:
        """Add a call, or more of a call's arguments."""
        given = piece.get("function")
        function = dict(given) if isinstance(given, Mapping) else {}
        index = piece.get("index")
        index = index if isinstance(index, int) else None
        if index not in self._calls:
            self._calls[index] = {**piece, "function": function}
            self._arguments[index] = []
        self._arguments[index].append(text_or_none(function.get("arguments")) or "")

    def whole(self) -> list[dict[str, Any]]:
        """Return the complete calls in the order of their first pieces."""
        for index, pieces in self._arguments.items():
            if len(pieces) > 1:
                self._calls[index]["function"]["arguments"] = "".join(pieces)
        return list(self._calls.values())
