"""Models behind OpenAI's API: at OpenAI, Azure or any compatible server."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from lve.errors import AdjustedRequestError, ModelError, PermanentModelError
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.openai.endpoint import Endpoint
from lve.models.openai.failures import classify, error_object
from lve.models.openai.stream import StreamReader
from lve.models.openai.text_wire import (
    parse_embeddings,
    parse_rated_chat,
    parse_text,
    rating_of,
    text_body,
)
from lve.models.openai.transport import HttpResponse, Transport
from lve.models.openai.wire import chat_body, parse_chat

CHAT = "/chat/completions"
TEXT = "/completions"
EMBEDDINGS = "/embeddings"


class OpenAIModel:
    """A model at an endpoint. It chats, continues, rates and embeds texts if the server can; a
    `Transport` sends the requests."""

    holds_timeout = True

    def __init__(self, name: str, endpoint: Endpoint, transport: Transport) -> None:
        self.name = name
        """The name that the user gave."""
        self.identity: Mapping[str, Any] = endpoint.identity
        """Provider, endpoint, served model and API version."""
        self._endpoint = endpoint
        self._transport = transport
        self._renamed: dict[str, str] = {}
        self._refused: set[str] = set()

    async def complete(self, request: ChatRequest) -> Completion:
        """Make one attempt.

        If the server refuses `max_tokens` or `stream_options`, the model remembers that.

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
        body = self._chat_body(request)
        if is_rated:
            body["prompt_logprobs"] = 0
        on_data = None if reader is None else reader.feed
        response = await self._transport.post(CHAT, body, timeout_s=timeout_s, on_data=on_data)
        latency_s = time.perf_counter() - started
        if not 200 <= response.status < 300:
            failure = self._failure(response)
            if response.status == 400 and self._learn(response, body):
                raise AdjustedRequestError(str(failure), kind="adjusted", status=400)
            raise failure
        secret = self._endpoint.secret
        if is_rated:
            return parse_rated_chat(response.body, latency_s=latency_s, secret=secret)
        if reader is None:
            return parse_chat(response.body, latency_s=latency_s, secret=secret)
        return reader.completion(latency_s=latency_s, secret=secret)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Make one attempt to get a vector per text."""
        body = {"model": self._endpoint.model, "input": list(texts), "encoding_format": "float"}
        response = await self._post(EMBEDDINGS, body, self._endpoint.timeout_s)
        return parse_embeddings(response.body, len(texts), secret=self._endpoint.secret)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    async def _complete_text(self, request: ChatRequest, prompt: str) -> Completion:
        """Continue or rate a text; never streamed."""
        started = time.perf_counter()
        body = text_body(self._endpoint.model, prompt, request.args, score=request.score)
        timeout_s = request.timeout_s or self._endpoint.timeout_s
        response = await self._post(TEXT, body, timeout_s)
        latency_s = time.perf_counter() - started
        scored = prompt if request.score else None
        return parse_text(
            response.body, scored=scored, latency_s=latency_s, secret=self._endpoint.secret
        )

    async def _post(self, path: str, body: Mapping[str, Any], timeout_s: float) -> HttpResponse:
        """Send a request and return the response if it is a success.

        Raises:
            ModelError: it isn't; kind `not_supported` if the server has no such path.
        """
        response = await self._transport.post(path, body, timeout_s=timeout_s)
        if 200 <= response.status < 300:
            return response
        error = self._failure(response)
        if response.status in (404, 405, 501):
            raise PermanentModelError(
                f"{error}: the server may not offer {path}; it needs more than chat completions",
                kind="not_supported",
                status=response.status,
            )
        raise error

    def _failure(self, response: HttpResponse) -> ModelError:
        secret = self._endpoint.secret
        return classify(response.status, response.headers, response.body, secret=secret)

    def _chat_body(self, request: ChatRequest) -> dict[str, Any]:
        body = chat_body(self._endpoint.model, request, renamed=self._renamed)
        for key in self._refused:
            body.pop(key, None)
        return body

    def _learn(self, response: HttpResponse, body: Mapping[str, Any]) -> bool:
        """Learn from a response 400 what the server refuses; return whether that's new."""
        error = error_object(response.body)
        said = str(error.get("message"))
        if "max_tokens" in body and "max_completion_tokens" in said:
            self._renamed["max_tokens"] = "max_completion_tokens"
            return True
        if "stream_options" in body and "stream_options" in said + str(error.get("param")):
            self._refused.add("stream_options")
            return True
        return False
