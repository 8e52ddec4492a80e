"""The wire of OpenAI's Responses API, and its streamed answers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from lve.errors import ModelError
from lve.extensions.responses.items import LVE_FIELDS, names_in_api
from lve.extensions.responses.wire import completion_of, failure_of, parse_response, response_body
from lve.json_types import JsonObject, JsonValue
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.http.adjustments import Adjustments
from lve.models.http.answers import check_length
from lve.models.http.endpoint import NO_SUCH_PATH
from lve.models.http.events import OVER_S, StreamAccumulator
from lve.models.http.failures import error_in_success, malformed
from lve.models.http.keys import Secret
from lve.models.http.wire import Refusable, WrittenRequest
from lve.models.openai.apis import OpenAIWire, error_message

RESPONSES = "/responses"


class ResponsesWire(OpenAIWire):
    """The Responses API."""

    title = "the Responses API"
    identity: Mapping[str, Any] = {"api": "responses"}

    def write(self, request: ChatRequest, adjustments: Adjustments) -> WrittenRequest:
        """Return a request as it is sent; see `Wire`."""
        body = response_body(self._model, request, adjustments.left_out)
        body = adjustments.apply(body, request.by_default)
        left_out = adjustments.unsent(request.args, request.by_default)
        return WrittenRequest(self, RESPONSES, body, left_out)

    def refusable(self, request: ChatRequest, written: WrittenRequest) -> Refusable:
        """Return what an error may name, also by the API's names for args; see `Wire`."""
        by_default = request.by_default | (LVE_FIELDS - request.args.keys())
        return Refusable(written.body, by_default, names_in_api(request.args))

    def parse(self, body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
        """Return the completion in the body of a successful response."""
        return parse_response(body, latency_s=latency_s, secret=secret)

    def accumulator(self) -> StreamAccumulator:
        """Return an empty accumulator for a streamed answer."""
        return ResponseAccumulator()

    def _wants_other(self, status: int, error: Mapping[str, Any]) -> bool:
        is_about_model = (
            error.get("code") == "model_not_found" or "model" in error_message(error).lower()
        )
        return status in NO_SUCH_PATH and not is_about_model


_FINAL = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
_TEXT_DELTAS = ("response.output_text.delta", "response.refusal.delta")
_ARGUMENTS_DELTA = "response.function_call_arguments.delta"


class ResponseAccumulator(StreamAccumulator):
    """Joins the events of one response.

    The last event has the whole response. Output items are taken from the events that end them:
    there every server sends them complete, including encrypted reasoning.
    """

    end_signs = tuple(kind.encode() for kind in _FINAL)

    def __init__(self) -> None:
        self.first_token_at: float | None = None
        self._items: dict[tuple[int, str, str], JsonObject] = {}
        """By index and ids: some servers number all items 0."""
        self._texts: list[str] = []
        """For servers whose last event has no output."""
        self._length = 0
        self._final: JsonObject | None = None

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
            if kind == _TEXT_DELTAS[0] and isinstance(delta := chunk.get("delta"), str):
                self._texts.append(delta)
        elif kind == "response.output_item.done":
            place = chunk.get("output_index")
            index = place if isinstance(place, int) else len(self._items)
            item = _object(chunk.get("item"))
            self._items[index, str(item.get("id")), str(item.get("call_id"))] = item
        elif kind in _FINAL:
            self._final = _object(chunk.get("response"))
            self.patience_s = OVER_S

    @staticmethod
    def text_in(chunk: JsonObject) -> str:
        """Return the piece of the answer's text in an event."""
        delta = chunk.get("delta") if chunk.get("type") in _TEXT_DELTAS else None
        return delta if isinstance(delta, str) else ""

    @staticmethod
    def failure(event: JsonObject, secret: Secret | None) -> ModelError:
        """Return the error in an event of type `error`, or in a gateway's `{"error": ...}`."""
        if event.get("type") != "error":
            return error_in_success(event, secret=secret)
        inner = event.get("error")
        return failure_of(inner if isinstance(inner, Mapping) else event, secret=secret)

    def completion(
        self, *, latency_s: float, first_token_s: float | None, done: bool, secret: Secret | None
    ) -> Completion:
        """Return the completion at the end of the stream."""
        if self._final is None:
            raise malformed("the stream broke off")
        output = [self._items[key] for key in sorted(self._items, key=itemgetter(0))] or None
        if output is None and self._texts and not self._final.get("output"):
            content = [{"type": "output_text", "text": "".join(self._texts)}]
            output = [{"type": "message", "content": content}]
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
