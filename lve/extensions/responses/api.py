"""The wire of OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.extensions.responses.args import LVE_FIELDS, names_in_api
from lve.extensions.responses.stream import ResponseAccumulator
from lve.extensions.responses.wire import parse_response, response_body
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.http.adjustments import Adjustments
from lve.models.http.endpoint import NO_SUCH_PATH
from lve.models.http.events import StreamAccumulator
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
