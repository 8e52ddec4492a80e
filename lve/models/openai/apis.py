"""OpenAI's APIs: chat completions, also streamed, and the ways to the others, which are extensions:
Responses, and for texts and ratings /v1/completions."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from lve.errors import ModelError, PermanentModelError
from lve.extension_table import extension_part
from lve.json_types import JsonObject, JsonValue
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.http.adjustments import MAX_ERROR_CHARS, Adjustments
from lve.models.http.answers import check_length, label, text_or_none
from lve.models.http.connections.transport import HttpResponse
from lve.models.http.endpoint import NO_SUCH_PATH
from lve.models.http.events import WHOLE_S, StreamAccumulator
from lve.models.http.failures import error_object, malformed
from lve.models.http.json_body import objects
from lve.models.http.keys import Secret
from lve.models.http.wire import Wire, WrittenRequest
from lve.models.openai.reasoning import (
    REASONING_FIELDS,
    RETURNED_FIELD,
    reasoning_in,
    reasoning_of,
    state_of,
)
from lve.models.openai.tool_wire import CallAccumulator, calls_in
from lve.models.openai.wire import (
    answer_text,
    chat_body,
    first_choice,
    logprobs_of,
    own_choice,
    parse_chat,
    parse_usage,
    reason_of,
)

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


class ChatAccumulator(StreamAccumulator):
    """Joins the events of one chat completion."""

    end_signs = (b'finish_reason":"', b'finish_reason": "')

    def __init__(self) -> None:
        self.first_token_at: float | None = None
        self._texts: dict[str, list[str]] = {}
        self._length = 0
        self._reasoning_length = 0
        self._calls = CallAccumulator()
        self._logprobs: list[JsonValue] = []
        self._first: JsonObject | None = None
        self._has_choices = False
        self._finish_reason: str | None = None
        self._usage: Any = None
        self._error: JsonObject | None = None
        """The choice that has an error."""

    @property
    def kept_values(self) -> int:
        """Number of log-probabilities and tool calls."""
        return len(self._logprobs) + len(self._calls)

    def add(self, chunk: JsonObject) -> None:
        """Add one event.

        Raises:
            TransientModelError: the event's choices are malformed, or the text is too long.
        """
        if self._first is None:
            self._first = {"model": chunk.get("model")}
        self._usage = chunk.get("usage") or self._usage
        if (choice := own_choice(chunk.get("choices"))) is not None:
            self._has_choices = True
            self._add_choice(choice)

    @staticmethod
    def text_in(chunk: JsonObject) -> str:
        """Return the piece of the answer's text in an event."""
        delta = (own_choice(chunk.get("choices")) or {}).get("delta")
        content = delta.get("content") if isinstance(delta, Mapping) else None
        if isinstance(content, list):  # Mistral's format for reasoning
            return "".join(text_or_none(part.get("text")) or "" for part in objects(content))
        return content if isinstance(content, str) else ""

    def completion(
        self, *, latency_s: float, first_token_s: float | None, done: bool, secret: Secret | None
    ) -> Completion:
        """Return the completion at the end of the stream."""
        if self._error is not None:
            raise self.failure(self._error, secret)
        if not done and self._finish_reason is None:
            raise malformed("the stream broke off")
        if not self._has_choices:
            first_choice({})
        message = self._message()
        calls = calls_in(message) if self._calls else ()
        return Completion(
            text=answer_text(message, self._finish_reason, calls),
            finish_reason=self._finish_reason,
            usage=parse_usage(self._usage),
            latency_s=latency_s,
            first_token_s=first_token_s,
            model=label(self._first and self._first["model"]),
            logprobs=self._logprobs or None,
            tool_calls=calls,
            reasoning=reasoning_of(message),
            provider_state=state_of(message, calls) if calls else None,
        )

    def _add_choice(self, choice: JsonObject) -> None:
        self._finish_reason = self._finish_reason or reason_of(choice)
        if self._finish_reason:
            self.patience_s = WHOLE_S
        if choice.get("error"):
            self._error = choice
        self._logprobs += logprobs_of(choice) or ()
        delta = choice.get("delta")
        if not isinstance(delta, Mapping):
            return
        calls = objects(delta.get("tool_calls"))
        old = delta.get("function_call")
        if isinstance(old, Mapping) and not calls:
            calls = [{"index": 0, "function": old}]
        for call in calls:
            self._calls.add(call)
        content = delta.get("content")
        if isinstance(content, list):  # Mistral's format for reasoning
            self._add_reasoning(RETURNED_FIELD, reasoning_in(content))
            content = "".join(text_or_none(part.get("text")) or "" for part in objects(content))
        self._add_text("content", content)
        self._add_text("refusal", delta.get("refusal"))
        for name in REASONING_FIELDS:
            self._add_reasoning(name, delta.get(name))
        if self.first_token_at is None and (self._length or calls):
            self.first_token_at = time.perf_counter()

    def _add_text(self, name: str, text: JsonValue) -> None:
        if isinstance(text, str):
            self._texts.setdefault(name, []).append(text)
            self._length += len(text)
            check_length(self._length)

    def _add_reasoning(self, name: str, text: JsonValue) -> None:
        if text and isinstance(text, str):
            self._texts.setdefault(name, []).append(text)
            self._reasoning_length += len(text)
            check_length(self._reasoning_length)

    def _message(self) -> dict[str, JsonValue]:
        message: dict[str, Any] = {name: "".join(texts) for name, texts in self._texts.items()}
        if self._calls:
            message["tool_calls"] = self._calls.calls()
            # The content of the first event is often "", which would hide the calls.
            message["content"] = message.get("content") or None
        return message
