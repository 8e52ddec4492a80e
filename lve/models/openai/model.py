"""Models behind OpenAI's API: at OpenAI, Azure or any compatible server."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from lve.errors import ModelError, PermanentModelError
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.openai.adjustments import Adjustments
from lve.models.openai.endpoint import Endpoint
from lve.models.openai.failures import classify
from lve.models.openai.stream import StreamReader
from lve.models.openai.text_wire import (
    parse_embeddings,
    parse_rated_chat,
    parse_text,
    rating_of,
    text_body,
)
from lve.models.openai.transport import HttpResponse, Transport
from lve.models.openai.wire import chat_body, parse_chat, parse_models

CHAT = "/chat/completions"
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
    ) -> None:
        """Args:
        name: the name that the user gave.
        endpoint: the server.
        transport: sends the requests.
        adjustments: what is known of how the server wants requests; it learns more.
        """
        self.name = name
        """The name that the user gave."""
        self.identity: Mapping[str, Any] = endpoint.identity
        """Provider, endpoint, served model and API version."""
        self.adjustments = adjustments or Adjustments(name)
        """How requests are written differently for this server."""
        self._endpoint = endpoint
        self._transport = transport

    @property
    def sent_differently(self) -> dict[str, Any]:
        """How requests are written where the server doesn't take them as lve writes them."""
        return self.adjustments.to_json()

    async def complete(self, request: ChatRequest) -> Completion:
        """Make one attempt.

        If the server refuses how lve writes a request, the model remembers that.

        Raises:
            AdjustedRequestError: the server refused what the next attempt leaves out or renames.
            ModelError: the attempt failed.
        """
        if request.prompt is not None:
            return await self._complete_text(request, request.prompt)
        is_rated = request.score
        if is_rated:
            request = rating_of(request)
        started = time.perf_counter()
        reader = StreamReader() if request.stream else None
        timeout_s = request.timeout_s or self._endpoint.timeout_s
        body = self.adjustments.apply(chat_body(self._endpoint.model, request), request.by_default)
        if is_rated:
            body["prompt_logprobs"] = 0
        on_data = None if reader is None else reader.feed
        response = await self._transport.post(CHAT, body, timeout_s=timeout_s, on_data=on_data)
        latency_s = time.perf_counter() - started
        if not 200 <= response.status < 300:
            raise self._failure(response, body, request.by_default)
        secret = self._endpoint.secret
        if is_rated:
            return parse_rated_chat(response.body, latency_s=latency_s, secret=secret)
        if reader is None:
            completion = parse_chat(response.body, latency_s=latency_s, secret=secret)
        else:
            completion = reader.completion(latency_s=latency_s, secret=secret)
        return self._noted(completion, request)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Make one attempt to get a vector per text."""
        body = {"model": self._endpoint.model, "input": list(texts), "encoding_format": "float"}
        response = await self._post(EMBEDDINGS, body, self._endpoint.timeout_s)
        return parse_embeddings(response.body, len(texts), secret=self._endpoint.secret)

    async def offered(self) -> list[str]:
        """Make one attempt to get the names of the models that the server offers.

        Raises:
            ModelError: the attempt failed.
        """
        response = await self._transport.get(MODELS, timeout_s=self._endpoint.timeout_s)
        if not 200 <= response.status < 300:
            raise self._failure(response, {})
        return parse_models(response.body, secret=self._endpoint.secret)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    async def _complete_text(self, request: ChatRequest, prompt: str) -> Completion:
        """Continue or rate a text; never streamed."""
        started = time.perf_counter()
        body = text_body(self._endpoint.model, prompt, request.args, score=request.score)
        body = self.adjustments.apply(body, request.by_default)
        timeout_s = request.timeout_s or self._endpoint.timeout_s
        response = await self._post(TEXT, body, timeout_s, request.by_default)
        latency_s = time.perf_counter() - started
        scored = prompt if request.score else None
        completion = parse_text(
            response.body, scored=scored, latency_s=latency_s, secret=self._endpoint.secret
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
        response = await self._transport.post(path, body, timeout_s=timeout_s)
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

    def _failure(
        self,
        response: HttpResponse,
        body: Mapping[str, Any],
        by_default: frozenset[str] = frozenset(),
    ) -> ModelError:
        secret = self._endpoint.secret
        failure = classify(response.status, response.headers, response.body, secret=secret)
        return self.adjustments.after(failure, response.body, body, by_default)

    def _noted(self, completion: Completion, request: ChatRequest) -> Completion:
        """Return a completion that says which of lve's own args the model refused."""
        if self.adjustments.left_out:
            left_out = self.adjustments.left_out & request.by_default
            completion.left_out = tuple(sorted(left_out.intersection(request.args)))
        return completion
