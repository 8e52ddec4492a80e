"""Joins the events of a streamed response."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from lve.json_types import JsonObject, JsonValue
from lve.messages import Completion
from lve.models.http.answers import check_length
from lve.models.http.failures import error_in_success, malformed
from lve.models.http.keys import Secret
from lve.models.openai.responses.wire import completion_of, failure_of

_FINAL = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
_TEXT_DELTAS = ("response.output_text.delta", "response.refusal.delta")
_ARGUMENTS_DELTA = "response.function_call_arguments.delta"


class ResponseAccumulator:
    """Joins the events of one response; a `StreamAccumulator`.

    The last event has the whole response. Output items are taken from the events that end them:
    there every server sends them complete, including encrypted reasoning.
    """

    def __init__(self) -> None:
        self.first_token_at: float | None = None
        self._items: dict[int, JsonObject] = {}
        self._length = 0
        self._final: JsonObject | None = None
        self._error: Mapping[str, Any] | None = None

    @property
    def kept_values(self) -> int:
        """Number of output items, plus the final event."""
        return len(self._items) + (self._final is not None)

    def add(self, chunk: JsonObject) -> None:
        """Add one event.

        Raises:
            TransientModelError: the text is too long, or an item or response isn't an object.
        """
        kind = chunk.get("type")
        if kind in _TEXT_DELTAS or kind == _ARGUMENTS_DELTA:
            self._count(chunk.get("delta"))
        elif kind == "response.output_item.done":
            place = chunk.get("output_index")
            index = place if isinstance(place, int) else len(self._items)
            self._items[index] = _object(chunk.get("item"))
        elif kind in _FINAL:
            self._final = _object(chunk.get("response"))
        elif self._error is None and (kind == "error" or chunk.get("error")):
            self._error = chunk

    @staticmethod
    def text_in(chunk: JsonObject) -> str:
        """Return the piece of the answer's text in an event."""
        delta = chunk.get("delta") if chunk.get("type") in _TEXT_DELTAS else None
        return delta if isinstance(delta, str) else ""

    def completion(
        self, *, latency_s: float, first_token_s: float | None, done: bool, secret: Secret | None
    ) -> Completion:
        """Return the completion at the end of the stream."""
        if self._error is not None:
            raise _failure(self._error, secret)
        if self._final is None:
            raise malformed("the stream broke off")
        output = [self._items[index] for index in sorted(self._items)] or None
        return completion_of(
            self._final, output, latency_s=latency_s, first_token_s=first_token_s, secret=secret
        )

    def _count(self, delta: JsonValue) -> None:
        if isinstance(delta, str) and delta:
            self._length += len(delta)
            check_length(self._length)
            if self.first_token_at is None:
                self.first_token_at = time.perf_counter()


def _object(value: JsonValue) -> JsonObject:
    if not isinstance(value, Mapping):
        raise malformed("an event of the stream has no object")
    return value


def _failure(event: JsonObject, secret: Secret | None) -> Exception:
    """Return the error in an event of type `error`, or in a gateway's `{"error": ...}`."""
    if event.get("type") == "error":
        inner = event.get("error")
        return failure_of(inner if isinstance(inner, Mapping) else event, secret=secret)
    return error_in_success(event, secret=secret)
