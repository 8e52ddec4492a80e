"""The wires that continue a text, and rate texts and chats."""

from __future__ import annotations

from lve.errors import ModelError
from lve.extensions.text_completions.text_wire import (
    parse_rated_chat,
    parse_text,
    rating_of,
    text_body,
)
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.http.adjustments import Adjustments
from lve.models.http.keys import Secret
from lve.models.http.transport import HttpResponse
from lve.models.http.wire import Refusable, Wire, WrittenRequest
from lve.models.openai.apis import CHAT, OpenAIWire, path_failure
from lve.models.openai.wire import chat_body

TEXT = "/completions"


def text_or_rating(model: str, request: ChatRequest) -> Wire:
    """Return the wire for a request to continue or rate a text, or to rate a chat.

    Args:
        model: the model's name at the server.
        request: the request.
    """
    if request.prompt is not None:
        return TextWire(model, request.prompt, is_rated=request.score)
    return RatingWire(model)


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
