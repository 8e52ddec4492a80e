"""OpenAI's APIs: chat completions, and the ways to the others, which are extensions: Responses, and
for texts and ratings /v1/completions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from lve.errors import ModelError, PermanentModelError
from lve.extension_table import extension_part
from lve.json_types import JsonObject
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.http.adjustments import MAX_ERROR_CHARS, Adjustments
from lve.models.http.endpoint import NO_SUCH_PATH
from lve.models.http.events import StreamAccumulator
from lve.models.http.failures import error_object
from lve.models.http.keys import Secret
from lve.models.http.transport import HttpResponse
from lve.models.http.wire import Wire, WrittenRequest
from lve.models.openai.stream import ChatAccumulator
from lve.models.openai.wire import chat_body, parse_chat

CHAT = "/chat/completions"
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
        return _responses(model, None if is_fixed else partial(ChatWire, model))
    return ChatWire(model, None if is_fixed else partial(_responses, model))


def _responses(model: str, instead: Callable[[], Wire] | None = None) -> Wire:
    wire: Wire = extension_part("responses of OpenAI")(model, instead)
    return wire


class OpenAIWire(Wire):
    """What OpenAI's APIs have in common. The adjustments are those of the body that is sent."""

    provider = "OpenAI"
    models_path = "/models"

    def __init__(self, model: str, instead: Callable[[], Wire] | None = None) -> None:
        """Args:
        model: the model's name at the server.
        instead: returns the wire to which a server may change that wants its other API.
        """
        self._model = model
        self._instead = instead

    def for_request(self, request: ChatRequest) -> Wire:
        """Return the wire that writes a request; see `Wire`."""
        if request.prompt is None and not request.score:
            return self
        wire: Wire = extension_part("texts and ratings of OpenAI")(self._model, request)
        return wire

    def accumulator(self) -> StreamAccumulator:
        """Return an empty accumulator for a streamed chat completion."""
        return ChatAccumulator()

    def other(self, response: HttpResponse) -> Wire | None:
        """Return the wire of the API that the server wants instead; see `Wire`."""
        if self._instead and self._wants_other(response.status, error_object(response.body)):
            return self._instead()
        return None

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
        return status in (400, 404) and _NEEDS_RESPONSES.search(error_message(error)) is not None


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


def error_message(error: JsonObject) -> str:
    """Return the message of an error that a server reports."""
    return str(error.get("message") or error.get("detail"))[:MAX_ERROR_CHARS]
