"""Chat models behind OpenAI's API: OpenAI, Azure, and every server that speaks the same."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from lve.errors import PermanentModelError
from lve.messages import Completion
from lve.models.base import ChatRequest
from lve.models.endpoint import Endpoint
from lve.models.failures import classify, error_object
from lve.models.stream import StreamReader
from lve.models.transport import Response, Transport
from lve.models.wire import chat_body, parse_chat

PATH = "/chat/completions"


class OpenAIChatModel:
    """A chat model at an endpoint. The transport decides how the bytes travel."""

    def __init__(self, name: str, endpoint: Endpoint, transport: Transport) -> None:
        self._name = name
        self._endpoint = endpoint
        self._transport = transport
        self._renamed: dict[str, str] = {}
        self._refused: set[str] = set()

    @property
    def name(self) -> str:
        """The name that the user gave."""
        return self._name

    @property
    def identity(self) -> Mapping[str, Any]:
        """Provider, endpoint, served model and API version."""
        return self._endpoint.identity

    async def complete(self, request: ChatRequest) -> Completion:
        """Make one attempt.

        A refusal of `max_tokens` or `stream_options` as such is learned, and the request sent
        again at once: it was refused before anything was computed or charged.
        """
        started = time.perf_counter()
        reader = StreamReader() if request.stream else None
        response = await self._send(request, reader)
        if response.status == 400 and self._learn(response, request):
            response = await self._send(request, reader)
        latency_s = time.perf_counter() - started
        secret = self._endpoint.secret
        if not 200 <= response.status < 300:
            raise classify(response.status, response.headers, response.body, secret=secret)
        if reader is None or response.body:
            return parse_chat(response.body, latency_s=latency_s, secret=secret)
        return reader.completion(latency_s=latency_s, secret=secret)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    async def _send(self, request: ChatRequest, reader: StreamReader | None) -> Response:
        body = chat_body(self._endpoint.model, request, renamed=self._renamed)
        for key in self._refused:
            body.pop(key, None)
        return await self._transport.post(
            PATH,
            body,
            timeout_s=request.timeout_s or self._endpoint.timeout_s,
            on_data=None if reader is None else reader.feed,
        )

    def _learn(self, response: Response, request: ChatRequest) -> bool:
        """Take a hint from a 400; return whether sending again makes sense."""
        error = error_object(response.body)
        said = str(error.get("message"))
        if "max_tokens" in request.args and "max_completion_tokens" in said:
            self._renamed["max_tokens"] = "max_completion_tokens"
            return True
        if request.stream and "stream_options" in said + str(error.get("param")):
            self._refused.add("stream_options")
            return True
        return False


def not_served(name: str, what: str) -> PermanentModelError:
    """A model is asked for something that its endpoint has not got."""
    return PermanentModelError(f"model {name!r} can't do {what}", kind="not_supported")
