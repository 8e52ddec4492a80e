"""OpenAI's APIs: chat completions, Responses, and for texts and ratings /v1/completions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from lve.errors import ModelError, PermanentModelError
from lve.json_types import JsonObject
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.http.adjustments import MAX_ERROR_CHARS, Adjustments
from lve.models.http.endpoint import NO_SUCH_PATH
from lve.models.http.events import StreamAccumulator
from lve.models.http.failures import error_object
from lve.models.http.keys import Secret
from lve.models.http.transport import HttpResponse
from lve.models.http.wire import Refusable, Wire, WrittenRequest
from lve.models.openai.responses.args import LVE_FIELDS, names_in_api
from lve.models.openai.responses.stream import ResponseAccumulator
from lve.models.openai.responses.wire import parse_response, response_body
from lve.models.openai.stream import ChatAccumulator
from lve.models.openai.text_wire import parse_rated_chat, parse_text, rating_of, text_body
from lve.models.openai.wire import chat_body, parse_chat

CHAT = "/chat/completions"
RESPONSES = "/responses"
TEXT = "/completions"
_NEEDS_RESPONSES = re.compile(r"v1/responses|responses api|not a chat model", re.IGNORECASE)


def openai_wire(
    model: str, api: Literal["chat", "responses"] | None = None, *, is_fixed: bool = False
) -> Wire:
    """Return the wire for a model.

    Args:
        model: the model's name at the server.
        api: the API to begin with; None: chat completions.
        is_fixed: whether the API can't change to the other one, because the user has set it.
    """
    if api == "responses":
        return ResponsesWire(model, None if is_fixed else ChatWire(model))
    return ChatWire(model, None if is_fixed else ResponsesWire(model))


class OpenAIWire(Wire):
    """What OpenAI's APIs have in common. The adjustments are those of the body that is sent."""

    provider = "OpenAI"
    models_path = "/models"

    def __init__(self, model: str, instead: Wire | None = None) -> None:
        """Args:
        model: the model's name at the server.
        instead: the wire to which a server may change that wants its other API.
        """
        self._model = model
        self._instead = instead

    def for_request(self, request: ChatRequest) -> Wire:
        """Return the wire that writes a request; see `Wire`."""
        if request.prompt is not None:
            return TextWire(self._model, request.prompt, is_rated=request.score)
        return RatingWire(self._model) if request.score else self

    def accumulator(self) -> StreamAccumulator:
        """Return an empty accumulator for a streamed chat completion."""
        return ChatAccumulator()

    def other(self, response: HttpResponse) -> Wire | None:
        """Return the wire of the API that the server wants instead; see `Wire`."""
        error = error_object(response.body)
        return self._instead if self._wants_other(response.status, error) else None

    def _wants_other(self, status: int, error: JsonObject) -> bool:
        """Return whether an error means that the server wants its other API."""
        return False


class ChatWire(OpenAIWire):
    """Chat completions."""

    title = "chat completions"

    def write(self, request: ChatRequest, adjustments: Adjustments) -> WrittenRequest:
        """Return a request as it is sent; see `Wire`."""
        body = adjustments.apply(chat_body(self._model, request), request.by_default)
        left_out = adjustments.unsent(request.args, request.by_default)
        return WrittenRequest(self, CHAT, body, left_out)

    def parse(self, body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
        """Return the completion in the body of a successful response."""
        return parse_chat(body, latency_s=latency_s, secret=secret)

    def _wants_other(self, status: int, error: Mapping[str, Any]) -> bool:
        return status in (400, 404) and _NEEDS_RESPONSES.search(_message(error)) is not None


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
            error.get("code") == "model_not_found" or "model" in _message(error).lower()
        )
        return status in NO_SUCH_PATH and not is_about_model


class TextWire(OpenAIWire):
    """Continues one text, or rates it."""

    can_stream = False

    def __init__(self, model: str, prompt: str, *, is_rated: bool) -> None:
        """Args:
        model: the model's name at the server.
        prompt: the text.
        is_rated: whether to rate the text instead of continuing it.
        """
        super().__init__(model)
        self._prompt = prompt
        self._is_rated = is_rated

    def write(self, request: ChatRequest, adjustments: Adjustments) -> WrittenRequest:
        """Return a request as it is sent; see `Wire`."""
        body = text_body(self._model, self._prompt, request.args, score=self._is_rated)
        body = adjustments.apply(body, request.by_default)
        left_out = adjustments.unsent(request.args, request.by_default)
        return WrittenRequest(self, TEXT, body, left_out)

    def parse(self, body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
        """Return the completion in the body of a successful response."""
        scored = self._prompt if self._is_rated else None
        return parse_text(body, scored=scored, latency_s=latency_s, secret=secret)

    def failure(self, failure: ModelError, response: HttpResponse) -> ModelError:
        """Return the error of a failed request, which says if the server has no such path."""
        return path_failure(failure, response, TEXT)


class RatingWire(OpenAIWire):
    """Rates a chat (vLLM's `prompt_logprobs`)."""

    can_stream = False

    def write(self, request: ChatRequest, adjustments: Adjustments) -> WrittenRequest:
        """Return a request as it is sent; see `Wire`."""
        rating = rating_of(request)
        body = adjustments.apply(chat_body(self._model, rating), rating.by_default)
        body["prompt_logprobs"] = 0
        return WrittenRequest(self, CHAT, body)

    def refusable(self, request: ChatRequest, written: WrittenRequest) -> Refusable:
        """Return what an error may name of the rating; see `Wire`."""
        return Refusable(written.body, rating_of(request).by_default)

    def parse(self, body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
        """Return the completion in the body of a successful response."""
        return parse_rated_chat(body, latency_s=latency_s, secret=secret)


def path_failure(failure: ModelError, response: HttpResponse, path: str) -> ModelError:
    """Return the error of a failed request to a path that not all servers have; of kind
    `not_supported` if the server has no such path."""
    if response.status not in NO_SUCH_PATH:
        return failure
    return PermanentModelError(
        f"{failure}: the server may not offer {path}; it needs more than chat completions",
        kind="not_supported",
        status=response.status,
    )


def _message(error: JsonObject) -> str:
    return str(error.get("message") or error.get("detail"))[:MAX_ERROR_CHARS]
