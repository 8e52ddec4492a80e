"""Models behind OpenAI's API: at OpenAI, Azure or any compatible server."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lve.errors import AdjustedRequestError, ModelError, PermanentModelError
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.http.adjustments import Adjustments
from lve.models.http.answers import parse_models
from lve.models.http.endpoint import Endpoint
from lve.models.http.failures import classify, error_object
from lve.models.http.transport import HttpResponse, Transport
from lve.models.openai.api_choice import ApiChoice
from lve.models.openai.responses.args import OURS, spellings
from lve.models.openai.responses.stream import ResponseReader
from lve.models.openai.responses.wire import parse_response, response_body
from lve.models.openai.stream import StreamReader
from lve.models.openai.text_wire import (
    parse_embeddings,
    parse_rated_chat,
    parse_text,
    rating_of,
    text_body,
)
from lve.models.openai.wire import chat_body, parse_chat
from lve.models.openai.written import PATHS, Written

if TYPE_CHECKING:
    from lve.models.openai.batches import OpenAIBatches

TEXT = "/completions"
EMBEDDINGS = "/embeddings"
MODELS = "/models"
NOT_OFFERED = (404, 405, 501)


class OpenAIModel:
    """A model at an endpoint. It chats, continues, rates and embeds texts if the server can; a
    `Transport` sends the requests."""

    holds_timeout = True

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        transport: Transport,
        adjustments: Adjustments | None = None,
        choice: ApiChoice | None = None,
    ) -> None:
        """Args:
        name: the name that the user gave.
        endpoint: the server.
        transport: sends the requests.
        adjustments: what is known of how the server wants requests; it learns more.
        choice: by which API the model is asked.
        """
        self.name = name
        """The name that the user gave."""
        self.identity: Mapping[str, Any] = endpoint.identity
        """Provider, endpoint, served model and API version."""
        self.adjustments = adjustments or Adjustments(name)
        """How requests are written differently for this server."""
        self.choice = choice or ApiChoice(name)
        """By which API the model is asked."""
        if self.choice.current == "responses":
            self.identity = {**self.identity, "api": "responses"}
        self.endpoint = endpoint
        """The server."""
        self.transport = transport
        """Sends the requests."""

    @property
    def sent_differently(self) -> dict[str, Any]:
        """How requests are written where the server doesn't take them as lve writes them."""
        fields = self.adjustments.to_json()
        return {**fields, "api": "responses"} if self.choice.current == "responses" else fields

    async def complete(self, request: ChatRequest) -> Completion:
        """Make one attempt.

        If the server refuses how lve writes a request, the model remembers that.

        Raises:
            AdjustedRequestError: the server refused what the next attempt leaves out or renames.
            ModelError: the attempt failed.
        """
        if request.prompt is not None:
            return await self._complete_text(request, request.prompt)
        if request.score:
            return await self._rate_chat(rating_of(request), request.timeout_s)
        started = time.perf_counter()
        written = self.write(request)
        reader = None
        if request.stream:
            hear = request.listen() if request.listen is not None else None
            reader = ResponseReader(hear) if written.api == "responses" else StreamReader(hear)
        timeout_s = request.timeout_s or self.endpoint.timeout_s
        on_data = None if reader is None else reader.feed
        response = await self.transport.post(
            written.path, written.body, timeout_s=timeout_s, on_data=on_data
        )
        latency_s = time.perf_counter() - started
        if reader is None or not 200 <= response.status < 300:
            return self.read(response, request, written, latency_s=latency_s)
        completion = reader.completion(latency_s=latency_s, secret=self.endpoint.secret)
        return self._noted(completion, request)

    def batch_api(self) -> OpenAIBatches:
        """Return the batch API of the server.

        Raises:
            UsageError: it has none at this address.
        """
        from lve.models.openai.batches import OpenAIBatches  # few sessions need it

        return OpenAIBatches(self)

    def write(self, request: ChatRequest) -> Written:
        """Return a request to continue a conversation, as the model takes it now."""
        left_out, by_default = self.adjustments.left_out, request.by_default
        if self.choice.current == "responses":
            body = response_body(self.endpoint.model, request, left_out)
            return Written("responses", self.adjustments.apply(body, by_default))
        body = chat_body(self.endpoint.model, request)
        return Written("chat", self.adjustments.apply(body, by_default))

    def read(
        self, response: HttpResponse, request: ChatRequest, written: Written, *, latency_s: float
    ) -> Completion:
        """Return the completion in a response that wasn't streamed.

        Raises:
            AdjustedRequestError: the server refused what the next attempt writes differently.
            ModelError: it is a failure, or no answer.
        """
        if not 200 <= response.status < 300:
            raise self._refused(response, request, written)
        parse = parse_response if written.api == "responses" else parse_chat
        completion = parse(response.body, latency_s=latency_s, secret=self.endpoint.secret)
        return self._noted(completion, request)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Make one attempt to get a vector per text."""
        body = {"model": self.endpoint.model, "input": list(texts), "encoding_format": "float"}
        response = await self._post(EMBEDDINGS, body, self.endpoint.timeout_s)
        return parse_embeddings(response.body, len(texts), secret=self.endpoint.secret)

    async def offered(self) -> list[str]:
        """Make one attempt to get the names of the models that the server offers.

        Raises:
            ModelError: the attempt failed.
        """
        response = await self.transport.get(MODELS, timeout_s=self.endpoint.timeout_s)
        if not 200 <= response.status < 300:
            raise self._failure(response, {})
        return parse_models(response.body, secret=self.endpoint.secret)

    async def aclose(self) -> None:
        """Close the connections."""
        await self.transport.aclose()

    async def _rate_chat(self, request: ChatRequest, timeout_s: float | None) -> Completion:
        """Have a chat rated; never streamed."""
        started = time.perf_counter()
        body = self.adjustments.apply(chat_body(self.endpoint.model, request), request.by_default)
        body["prompt_logprobs"] = 0
        timeout_s = timeout_s or self.endpoint.timeout_s
        response = await self.transport.post(PATHS["chat"], body, timeout_s=timeout_s)
        latency_s = time.perf_counter() - started
        if not 200 <= response.status < 300:
            raise self._failure(response, body, request.by_default)
        return parse_rated_chat(response.body, latency_s=latency_s, secret=self.endpoint.secret)

    async def _complete_text(self, request: ChatRequest, prompt: str) -> Completion:
        """Continue or rate a text; never streamed."""
        started = time.perf_counter()
        body = text_body(self.endpoint.model, prompt, request.args, score=request.score)
        body = self.adjustments.apply(body, request.by_default)
        timeout_s = request.timeout_s or self.endpoint.timeout_s
        response = await self._post(TEXT, body, timeout_s, request.by_default)
        latency_s = time.perf_counter() - started
        scored = prompt if request.score else None
        completion = parse_text(
            response.body, scored=scored, latency_s=latency_s, secret=self.endpoint.secret
        )
        return self._noted(completion, request)

    async def _post(
        self,
        path: str,
        body: Mapping[str, Any],
        timeout_s: float,
        by_default: frozenset[str] = frozenset(),
    ) -> HttpResponse:
        """Send a request and return the response if it is a success.

        Raises:
            ModelError: it isn't; kind `not_supported` if the server has no such path.
        """
        response = await self.transport.post(path, body, timeout_s=timeout_s)
        if 200 <= response.status < 300:
            return response
        error = self._failure(response, body, by_default)
        if response.status in NOT_OFFERED:
            raise PermanentModelError(
                f"{error}: the server may not offer {path}; it needs more than chat completions",
                kind="not_supported",
                status=response.status,
            )
        raise error

    def _refused(
        self, response: HttpResponse, request: ChatRequest, written: Written
    ) -> ModelError:
        """Return the error for a request to continue a conversation that failed."""
        error = error_object(response.body)
        if self.choice.is_other_wanted(written.api, response.status, error):
            message = f"{response.status}: the server wants the other API"
            return AdjustedRequestError(message, kind="adjusted", status=response.status)
        by_default, names = request.by_default, None
        if written.api == "responses":
            by_default = by_default | (OURS - request.args.keys())
            names = spellings(request.args)
        return self._failure(response, written.body, by_default, names)

    def _failure(
        self,
        response: HttpResponse,
        body: Mapping[str, Any],
        by_default: frozenset[str] = frozenset(),
        names: Mapping[str, str] | None = None,
    ) -> ModelError:
        secret = self.endpoint.secret
        failure = classify(response.status, response.headers, response.body, secret=secret)
        return self.adjustments.after(failure, response.body, body, by_default, names)

    def _noted(self, completion: Completion, request: ChatRequest) -> Completion:
        """Return a completion that says which of lve's own args the model refused."""
        if self.adjustments.left_out:
            left_out = self.adjustments.left_out & request.by_default
            completion.left_out = tuple(sorted(left_out.intersection(request.args)))
        return completion
