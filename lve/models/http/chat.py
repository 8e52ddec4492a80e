"""Chat models at APIs other than OpenAI's; a `Wire` knows the API's format."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from lve.errors import ModelError, PermanentModelError
from lve.messages import Completion, Message
from lve.models.chat_model import ChatRequest
from lve.models.http.adjustments import Adjustments
from lve.models.http.answers import parse_models
from lve.models.http.endpoint import Endpoint
from lve.models.http.events import EventReader, StreamAccumulator
from lve.models.http.failures import classify
from lve.models.http.keys import Secret
from lve.models.http.parts import split_system, without_system
from lve.models.http.transport import HttpResponse, Transport


class Wire(Protocol):
    """Writes an API's requests and reads its responses. Pure functions."""

    provider: str
    """The API's provider, for error messages."""
    renames: Mapping[str, str]
    """Model arg -> the API's name for it."""
    takes_system: bool
    """Whether all models accept system messages at the beginning."""
    models_path: str
    """Path of the list of models, below the base URL."""

    def path(self, *, stream: bool) -> str:
        """Return the path of a request, below the base URL."""
        ...

    def body(self, request: ChatRequest, args: Mapping[str, Any]) -> dict[str, Any]:
        """Return the body of a request.

        Args:
            request: the request.
            args: its model args, with the API's names.

        Raises:
            PermanentModelError: the API has no equivalent for a part of the request.
        """
        ...

    def clashing(self, args: Mapping[str, Any]) -> frozenset[str]:
        """Return the default args that the API refuses in combination with `args`."""
        return frozenset()

    def parse(self, body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
        """Return the completion in the body of a successful response.

        Raises:
            ModelError: the body has no completion.
        """
        ...

    def accumulator(self) -> StreamAccumulator:
        """Return an empty accumulator for a streamed answer."""
        ...

    def failure(self, failure: ModelError, response: HttpResponse) -> ModelError:
        """Return the error of a failed request.

        Args:
            failure: the error that the response's status stands for.
            response: the response, whose body may say more.
        """
        return failure

    def parse_models(self, body: bytes, *, secret: Secret | None) -> list[str]:
        """Return the names in a list of models, sorted."""
        return parse_models(body, secret=secret)


class WrittenRequest(NamedTuple):
    """A request in the API's format."""

    body: dict[str, Any]
    args: Mapping[str, Any]
    """The model args that are sent, with the API's names."""
    left_out: frozenset[str]
    """The default args that aren't sent, because the model refuses them."""
    messages: Sequence[Message]
    """The messages that are sent."""


class HttpChatModel:
    """A chat model at an endpoint. It doesn't continue, rate or embed texts."""

    holds_timeout = True

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        wire: Wire,
        transport: Transport,
        adjustments: Adjustments | None = None,
    ) -> None:
        """Args:
        name: the name that the user gave.
        endpoint: the server.
        wire: writes requests and reads responses.
        transport: sends the requests.
        adjustments: the known differences in how the model takes requests; learns further ones.
        """
        self.name = name
        self.identity: Mapping[str, Any] = endpoint.identity
        self.adjustments = adjustments or Adjustments(name, wire.renames)
        self.endpoint = endpoint
        self.transport = transport
        self._wire = wire

    @property
    def sent_differently(self) -> dict[str, Any]:
        """How requests differ from lve's usual ones, because the server refused those."""
        return self.adjustments.to_json()

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the completion. Makes one attempt.

        Raises:
            AdjustedRequestError: the server refused something that the next attempt leaves out.
            ModelError: the attempt failed.
        """
        wire = self._wire
        written = self.write(request)
        started = time.perf_counter()
        reader = None
        if request.stream:
            on_text = request.listen() if request.listen is not None else None
            reader = EventReader(wire.accumulator, wire.parse, on_text)
        response = await self.transport.post(
            wire.path(stream=request.stream),
            written.body,
            timeout_s=request.timeout_s or self.endpoint.timeout_s,
            on_data=None if reader is None else reader.feed,
        )
        latency_s = time.perf_counter() - started
        if reader is None or not response.is_success:
            return self.read(response, request, written, latency_s=latency_s)
        completion = reader.completion(latency_s=latency_s, secret=self.endpoint.secret)
        completion.left_out = tuple(sorted(written.left_out))
        return completion

    def write(self, request: ChatRequest) -> WrittenRequest:
        """Return the request in the API's format, adjusted to what the model refused so far.

        Raises:
            PermanentModelError: the API has no equivalent for the request, or for a part of it.
        """
        if request.prompt is not None or request.score:
            raise self._only_chats(request)
        left_out = self._left_out(request)
        args = {name: value for name, value in request.args.items() if name not in left_out}
        args = self.adjustments.apply(args, request.by_default)
        given = {name: args[name] for name in args if args[name] is not None}
        if self.adjustments.system_as != "system":
            messages = without_system(request.messages, from_=self._refusable(request.messages))
            request = replace(request, messages=messages)
        return WrittenRequest(self._wire.body(request, given), args, left_out, request.messages)

    def read(
        self,
        response: HttpResponse,
        request: ChatRequest,
        written: WrittenRequest,
        *,
        latency_s: float,
    ) -> Completion:
        """Return the completion in a response that wasn't streamed.

        Raises:
            AdjustedRequestError: the server refused something that the next attempt leaves out.
            ModelError: the request failed, or the response has no completion.
        """
        if not response.is_success:
            refusable = written.messages[self._refusable(written.messages) :]
            roles = [{"role": message.role.value} for message in refusable]
            sent = {**written.args, "messages": roles}
            raise self._failure(response, sent, request.by_default)
        secret = self.endpoint.secret
        completion = self._wire.parse(response.body, latency_s=latency_s, secret=secret)
        completion.left_out = tuple(sorted(written.left_out))
        return completion

    async def list_models(self) -> list[str]:
        """Return the names of the server's models. Makes one attempt.

        Raises:
            ModelError: the attempt failed.
        """
        path, timeout_s = self._wire.models_path, self.endpoint.timeout_s
        response = await self.transport.get(path, timeout_s=timeout_s)
        if not response.is_success:
            raise self._failure(response, {}, frozenset())
        return self._wire.parse_models(response.body, secret=self.endpoint.secret)

    async def aclose(self) -> None:
        """Close the connections."""
        await self.transport.aclose()

    def _left_out(self, request: ChatRequest) -> frozenset[str]:
        """Return the default args of a request that aren't sent."""
        refused = self.adjustments.left_out | self._wire.clashing(request.args)
        return (refused & request.by_default).intersection(request.args)

    def _failure(
        self, response: HttpResponse, sent: Mapping[str, Any], by_default: frozenset[str]
    ) -> ModelError:
        secret = self.endpoint.secret
        failure = classify(response.status, response.headers, response.body, secret=secret)
        failure = self._wire.failure(failure, response)
        return self.adjustments.learn_from(failure, response.body, sent, by_default)

    def _refusable(self, messages: Sequence[Message]) -> int:
        """Return the index from which on messages may be refused for having the role `system`."""
        return len(messages) - len(split_system(messages)[1]) if self._wire.takes_system else 0

    def _only_chats(self, request: ChatRequest) -> ModelError:
        what = "rates no prompts" if request.score else "continues no texts"
        return PermanentModelError(
            f"{self._wire.provider}'s API {what}: it only chats (a local model `hf/NAME` or a "
            "server with OpenAI's /v1/completions can)",
            kind="not_supported",
        )
