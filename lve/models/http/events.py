"""Reads streamed answers: server-sent events, parsed in batches as they arrive."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Protocol

from lve.json_types import JsonObject
from lve.messages import Completion
from lve.models.http.failures import malformed
from lve.models.http.json_body import MAX_VALUES_BYTES, decode, memory_of
from lve.models.http.keys import Secret

BATCH_BYTES = 64 * 1024
"""Events are parsed together in batches of this size: a third of the time of one by one."""


class StreamAccumulator(Protocol):
    """Joins the events of one streamed answer of an API."""

    first_token_at: float | None
    """Time of the first text or tool call, in seconds (`time.perf_counter`)."""

    @property
    def kept_values(self) -> int:
        """Number of values kept from the events, not counting texts."""
        ...

    def add(self, chunk: JsonObject) -> None:
        """Add one event.

        Raises:
            TransientModelError: the event is malformed, or the text is too long.
        """
        ...

    @staticmethod
    def text_in(chunk: JsonObject) -> str:
        """Return the piece of the answer's text in an added event, "" if it has none. Reasoning
        isn't part of the answer."""
        ...

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
            ContentFilteredError: the provider withheld the answer.
            PermanentModelError: an event reports a permanent error.
        """
        ...


class ParseCompletion(Protocol):
    """Parses an answer that wasn't streamed."""

    def __call__(self, body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
        """Return the completion in the body of a successful response."""
        ...


class EventReader:
    """Reads the events of one streamed answer as they arrive.

    The format is the part of the HTML standard's "Server-sent events" that providers use: `data:`
    lines with one JSON object each; some servers end with `data: [DONE]`. Events are parsed and
    discarded soon after they arrive.
    """

    __slots__ = (
        "_answer",
        "_done",
        "_events",
        "_make_accumulator",
        "_memory",
        "_on_text",
        "_other",
        "_parse_body",
        "_pending",
        "_rest",
        "_started",
    )

    def __init__(
        self,
        make_accumulator: Callable[[], StreamAccumulator],
        parse_body: ParseCompletion,
        on_text: Callable[[str], None] | None = None,
    ) -> None:
        """Args:
        make_accumulator: called at the first event.
        parse_body: parses the body of a server that ignores `stream` and sends one JSON object.
        on_text: called with each piece of the answer's text as it arrives.
        """
        self._on_text = on_text
        self._make_accumulator = make_accumulator
        self._parse_body = parse_body
        self._started = time.perf_counter()
        self._rest = bytearray()
        self._events: list[bytes] = []
        self._pending = 0
        self._other = bytearray()
        self._done = False
        self._answer: StreamAccumulator | None = None
        self._memory = 0

    @property
    def first_token_s(self) -> float | None:
        """Seconds from the reader's creation to the first event with text."""
        at = None if self._answer is None else self._answer.first_token_at
        return None if at is None else at - self._started

    def feed(self, data: bytes) -> None:
        """Read the next bytes of the body, in pieces of any size.

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
        if self.first_token_s is None or self._pending >= BATCH_BYTES or self._on_text is not None:
            self._parse()

    def completion(self, *, latency_s: float, secret: Secret | None = None) -> Completion:
        """Return the completion after the end of the body; errors as in
        `StreamAccumulator.completion`."""
        if self._answer is None:
            body = bytes(self._other + self._rest)
            return self._parse_body(body, latency_s=latency_s, secret=secret)
        self._parse()
        return self._answer.completion(
            latency_s=latency_s, first_token_s=self.first_token_s, done=self._done, secret=secret
        )

    def _take(self, event: bytes) -> None:
        if self._answer is None:
            self._answer = self._make_accumulator()
            self._other.clear()
        if event == b"[DONE]":
            self._done = True
        elif event:  # an empty one only keeps the connection alive
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
        count_before = self._answer.kept_values
        for chunk in chunks:
            self._answer.add(chunk)
            if self._on_text is not None and (text := self._answer.text_in(chunk)):
                self._on_text(text)
        if self._answer.kept_values > count_before:
            self._memory += memory_of(batch)
            if self._memory > MAX_VALUES_BYTES:
                raise malformed("the stream has too many values")
