"""Reads a streamed answer: server-sent events to a completion."""

from __future__ import annotations

import time
from collections.abc import Mapping

from lve.messages import Completion
from lve.models.openai.decode import MOST_MEMORY, decode, memory_of
from lve.models.openai.deltas import JoinedAnswer
from lve.models.openai.failures import malformed
from lve.models.openai.secret import Secret
from lve.models.openai.wire import parse_chat

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
