"""Reads streamed answers: the JSON of their events, parsed in batches as they arrive."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Protocol

from lve.documents.json_text import whole_characters
from lve.errors import ModelError, TransientModelError
from lve.json_types import JsonObject
from lve.messages import Completion
from lve.models.http.event_stream import Event, EventStream
from lve.models.http.failures import error_in_success, has_error, malformed
from lve.models.http.json_body import MAX_VALUES_BYTES, decode, encode, memory_of
from lve.models.http.keys import Secret

BATCH_BYTES = 64 * 1024
"""Events are parsed together in batches of this size: a third of the time of one by one."""
OVER_S = 0.0
"""How long to wait for more of an answer after an event that no other one follows."""
WHOLE_S = 2.0
"""How long to wait for more, in seconds, after an event that ends the text: token counts follow, or
the same once more."""


class StreamAccumulator(Protocol):
    """Joins the events of one streamed answer of an API."""

    first_token_at: float | None
    """Time of the first text or tool call, in seconds (`time.perf_counter`)."""
    patience_s: float | None = None
    """How long to wait for the next event in seconds, if the answer is complete; else None."""
    end_signs: tuple[bytes, ...] = ()
    """One of them is in each event that completes the answer, so that it is parsed at once."""

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

    @staticmethod
    def failure(event: JsonObject, secret: Secret | None) -> ModelError:
        """Return the error that an event reports."""
        return error_in_success(event, secret=secret)

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

    Each event has one JSON object; some servers end with `data: [DONE]`. Events are parsed and
    discarded soon after they arrive. An event with an error ends the answer.
    """

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
        self._started = self._latest = time.perf_counter()
        self._stream = EventStream()
        self._events: list[bytes] = []
        self._pending = 0
        self._other = bytearray()
        self._done = False
        self._error: JsonObject | None = None
        self._answer: StreamAccumulator | None = None
        self._memory = 0
        self._patience_s: float | None = None
        self._half = ""

    @property
    def first_token_s(self) -> float | None:
        """Seconds from the reader's creation to the first event with text."""
        at = None if self._answer is None else self._answer.first_token_at
        return None if at is None else at - self._started

    @property
    def is_whole(self) -> bool:
        """Whether the answer is complete, whatever the connection does next."""
        return self._patience_s is not None

    def feed(self, data: bytes) -> float | None:
        """Read the next bytes of the body, in pieces of any size.

        Returns:
            How long to wait for more in seconds, if the answer is complete; else None.

        Raises:
            TransientModelError: an event isn't a JSON object, or the answer is too large.
        """
        if self._answer is None:
            self._other += data
        is_end = self._take(self._stream.feed(data))
        if (
            is_end
            or self.first_token_s is None
            or self._pending >= BATCH_BYTES
            or self._on_text is not None
        ):
            self._parse()
        if self._done or self._error is not None:
            self._patience_s = OVER_S
        elif self._answer is not None:
            self._patience_s = self._answer.patience_s
        if self._patience_s is None:
            return None
        return max(OVER_S, self._latest + self._patience_s - time.perf_counter())

    def completion(self, *, latency_s: float, secret: Secret | None = None) -> Completion:
        """Return the completion after the end of the body; errors as in
        `StreamAccumulator.completion`."""
        self._take(self._stream.end())
        self._parse()
        if self._half and self._on_text is not None:
            self._on_text(whole_characters(self._half))
        if self._answer is None:
            return self._parse_body(bytes(self._other), latency_s=latency_s, secret=secret)
        if self._error is not None:
            raise self._answer.failure(self._error, secret)
        return self._answer.completion(
            latency_s=latency_s, first_token_s=self.first_token_s, done=self._done, secret=secret
        )

    def _take(self, events: Iterable[Event]) -> bool:
        """Keep events to be parsed; return whether one of them may complete the answer."""
        is_end = False
        for event in events:
            if self._done:
                break
            if self._answer is None:
                self._answer = self._make_accumulator()
                self._other.clear()
            is_error = event.event == "error"
            for data in _texts(event.data):
                if data == b"[DONE]":
                    is_end = self._done = True
                elif data:  # an empty one only keeps the connection alive
                    is_end |= is_error or any(sign in data for sign in self._answer.end_signs)
                    self._events.append(_error(data) if is_error else data)
                    self._pending += len(data) + 1
            self._latest = time.perf_counter()
        return is_end

    def _parse(self) -> None:
        """Parse the pending events and add them to the answer."""
        if self._answer is None or not self._events or self._error is not None:
            return
        events, self._events, self._pending = self._events, [], 0
        count_before = self._answer.kept_values
        for value in self._read(self._answer, events):
            if self._add(self._answer, value):
                break
        if self._answer.kept_values > count_before:
            self._memory += sum(map(memory_of, events))
            if self._memory > MAX_VALUES_BYTES:
                raise malformed("the stream has too many values")

    def _read(self, answer: StreamAccumulator, events: list[bytes]) -> Iterator[JsonObject]:
        """Yield the objects of events. Behind a whole answer there may be anything, or half an
        event."""
        try:
            for value in _values(events):
                if not isinstance(value, Mapping):
                    raise malformed("an event of the stream is not an object")
                yield value
        except TransientModelError:
            if answer.patience_s is None:
                raise

    def _add(self, answer: StreamAccumulator, event: JsonObject) -> bool:
        """Add an event to the answer; return whether it ends it."""
        if has_error(event):
            self._error = event
            return True
        answer.add(event)
        if self._on_text is not None and (text := answer.text_in(event)):
            self._tell(self._on_text, text)
        return answer.patience_s == OVER_S

    def _tell(self, on_text: Callable[[str], None], text: str) -> None:
        """Pass a piece of the text on, in whole characters: a server may cut one in two."""
        text = self._half + text
        self._half = text[-1] if "\ud800" <= text[-1] <= "\udbff" else ""
        if text := text.removesuffix(self._half):
            on_text(whole_characters(text))


def _texts(data: bytes) -> list[bytes]:
    """Return the JSON texts in an event's data: one, or one a line, as servers send that forget the
    blank lines."""
    text = data.strip()
    if b"\n" not in text:
        return [text]
    try:
        decode(text)
    except ValueError:
        return [line.strip() for line in text.split(b"\n")]
    return [text]


def _values(events: list[bytes]) -> Iterable[object]:
    """Return the values of the JSON texts of events; one by one if they can't all be read, because
    one that ends the answer may be among them."""
    try:
        values: list[object] = decode(b"[" + b",".join(events) + b"]")
    except ValueError:
        return map(_value, events)
    return values


def _value(event: bytes) -> object:
    """Return the value of an event's JSON text. Bytes that aren't UTF-8 are read as the standard of
    event streams asks for: as U+FFFD."""
    for text in (event, event.decode("utf-8", "replace").encode()):
        with suppress(ValueError):
            return decode(text)
    raise malformed("an event of the stream is not JSON, or cut short")


def _error(data: bytes) -> bytes:
    """Return the data of an event of type `error` as an object that says so: servers also send the
    error's fields alone, or a text."""
    try:
        error = decode(data)
    except ValueError:
        error = data.decode("utf-8", "replace")
    return data if isinstance(error, Mapping) and has_error(error) else encode({"error": error})
