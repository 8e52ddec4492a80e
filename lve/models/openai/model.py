"""Models at OpenAI, Azure or any server with OpenAI's API."""

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
from lve.models.openai.api_choice import PATHS, ApiChoice, ApiRequest
from lve.models.openai.responses.args import LVE_FIELDS, names_in_api
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

if TYPE_CHECKING:
    from lve.models.openai.batches import OpenAIBatches

TEXT = "/completions"
EMBEDDINGS = "/embeddings"
MODELS = "/models"
NO_SUCH_PATH = (404, 405, 501)


class OpenAIModel:
    """A model at an endpoint. It chats, and continues, rates and embeds texts if the server can."""

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
        adjustments: the known differences in how the server takes requests; learns further ones.
        choice: the API to use.
        """
        self.name = name
        self.identity: Mapping[str, Any] = endpoint.identity
        self.adjustments = adjustments or Adjustments(name)
        self.choice = choice or ApiChoice(name)
        if self.choice.current == "responses":
            self.identity = {**self.identity, "api": "responses"}
        self.endpoint = endpoint
        self.transport = transport

    @property
    def sent_differently(self) -> dict[str, Any]:
        """How requests differ from lve's usual ones, because the server refused those."""
        fields = self.adjustments.to_json()
        return {**fields, "api": "responses"} if self.choice.current == "responses" else fields

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the completion. Makes one attempt.

        Raises:
            AdjustedRequestError: the server refused something that the next attempt leaves out,
                renames or sends through the other API.
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
            on_text = request.listen() if request.listen is not None else None
            reader = (ResponseReader if written.api == "responses" else StreamReader)(on_text)
        timeout_s = request.timeout_s or self.endpoint.timeout_s
        on_data = None if reader is None else reader.feed
        response = await self.transport.post(
            written.path, written.body, timeout_s=timeout_s, on_data=on_data
        )
        latency_s = time.perf_counter() - started
        if reader is None or not response.is_success:
            return self.read(response, request, written, latency_s=latency_s)
        completion = reader.completion(latency_s=latency_s, secret=self.endpoint.secret)
        return self._with_left_out(completion, request)

    def batch_api(self) -> OpenAIBatches:
        """Return the server's batch API.

        Raises:
            UsageError: the server has none at this address.
        """
        from lve.models.openai.batches import OpenAIBatches  # few sessions need it

        return OpenAIBatches(self)

    def write(self, request: ChatRequest) -> ApiRequest:
        """Return a chat request in the API's format, adjusted to what the model refused so far."""
        left_out, by_default = self.adjustments.left_out, request.by_default
        if self.choice.current == "responses":
            body = response_body(self.endpoint.model, request, left_out)
            return ApiRequest("responses", self.adjustments.apply(body, by_default))
        body = chat_body(self.endpoint.model, request)
        return ApiRequest("chat", self.adjustments.apply(body, by_default))

    def read(
        self, response: HttpResponse, request: ChatRequest, written: ApiRequest, *, latency_s: float
    ) -> Completion:
        """Return the completion in a response that wasn't streamed.

        Raises:
            AdjustedRequestError: the server refused something that the next attempt changes.
            ModelError: the request failed, or the response has no completion.
        """
        if not response.is_success:
            raise self._refusal_error(response, request, written)
        parse = parse_response if written.api == "responses" else parse_chat
        completion = parse(response.body, latency_s=latency_s, secret=self.endpoint.secret)
        return self._with_left_out(completion, request)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector per text. Makes one attempt."""
        body = {"model": self.endpoint.model, "input": list(texts), "encoding_format": "float"}
        response = await self._post(EMBEDDINGS, body, self.endpoint.timeout_s)
        return parse_embeddings(response.body, len(texts), secret=self.endpoint.secret)

    async def list_models(self) -> list[str]:
        """Return the names of the server's models. Makes one attempt.

        Raises:
            ModelError: the attempt failed.
        """
        response = await self.transport.get(MODELS, timeout_s=self.endpoint.timeout_s)
        if not response.is_success:
            raise self._failure(response, {})
        return parse_models(response.body, secret=self.endpoint.secret)

    async def aclose(self) -> None:
        """Close the connections."""
        await self.transport.aclose()

    async def _rate_chat(self, request: ChatRequest, timeout_s: float | None) -> Completion:
        """Rate a chat (`prompt_logprobs`); never streamed."""
        started = time.perf_counter()
        body = self.adjustments.apply(chat_body(self.endpoint.model, request), request.by_default)
        body["prompt_logprobs"] = 0
        timeout_s = timeout_s or self.endpoint.timeout_s
        response = await self.transport.post(PATHS["chat"], body, timeout_s=timeout_s)
        latency_s = time.perf_counter() - started
        if not response.is_success:
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
        return self._with_left_out(completion, request)

    async def _post(
        self,
        path: str,
        body: Mapping[str, Any],
        timeout_s: float,
        by_default: frozenset[str] = frozenset(),
    ) -> HttpResponse:
        """Send a request and return the response if its status is a success.

        Raises:
            ModelError: it isn't; kind `not_supported` if the server has no such path.
        """
        response = await self.transport.post(path, body, timeout_s=timeout_s)
        if response.is_success:
            return response
        error = self._failure(response, body, by_default)
        if response.status in NO_SUCH_PATH:
            raise PermanentModelError(
                f"{error}: the server may not offer {path}; it needs more than chat completions",
                kind="not_supported",
                status=response.status,
            )
        raise error

    def _refusal_error(
        self, response: HttpResponse, request: ChatRequest, written: ApiRequest
    ) -> ModelError:
        """Return the error for a failed chat request."""
        error = error_object(response.body)
        if self.choice.is_other_wanted(written.api, response.status, error):
            message = f"{response.status}: the server wants the other API"
            return AdjustedRequestError(message, kind="adjusted", status=response.status)
        by_default, names = request.by_default, None
        if written.api == "responses":
            by_default = by_default | (LVE_FIELDS - request.args.keys())
            names = names_in_api(request.args)
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
        return self.adjustments.learn_from(failure, response.body, body, by_default, names)

    def _with_left_out(self, completion: Completion, request: ChatRequest) -> Completion:
        """Return `completion` with the default args that the model refused in `left_out`."""
        if self.adjustments.left_out:
            left_out = self.adjustments.left_out & request.by_default
            completion.left_out = tuple(sorted(left_out.intersection(request.args)))
        return completion
