"""A chat model at an endpoint: one attempt per call, whatever the API's wire is."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from lve.errors import ModelError, PermanentModelError
from lve.messages import Completion, Message
from lve.models.chat_model import ChatRequest
from lve.models.http.adjustments import Adjustments
from lve.models.http.endpoint import Endpoint
from lve.models.http.events import EventReader, Joined
from lve.models.http.failures import classify
from lve.models.http.keys import Secret
from lve.models.http.parts import split_system, without_system
from lve.models.http.transport import HttpResponse, Transport


class Wire(Protocol):
    """How an API is written and read. Pure functions."""

    provider: str
    """Whose API it is, as messages to the user call it."""
    renames: Mapping[str, str]
    """Model arg -> the API's name for it."""
    takes_system: bool
    """Whether all models take system messages at the beginning."""
    models_path: str
    """Where the server lists its models."""

    def path(self, *, stream: bool) -> str:
        """Return where a request goes, below the base URL."""
        ...

    def body(self, request: ChatRequest, args: Mapping[str, Any]) -> dict[str, Any]:
        """Return the body of a request.

        Args:
            request: the request.
            args: its model args, with the API's names.

        Raises:
            PermanentModelError: the API has no counterpart for a part of it.
        """
        ...

    def clashing(self, args: Mapping[str, Any]) -> frozenset[str]:
        """Return the args that the API refuses beside the others, if nobody has set them."""
        ...

    def parse(self, body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
        """Return the completion in the body of a successful answer.

        Raises:
            ModelError: it holds none.
        """
        ...

    def joined(self) -> Joined:
        """Return what takes the events of a streamed answer."""
        ...

    def failure(self, failure: ModelError, response: HttpResponse) -> ModelError:
        """Return the error of a failed request.

        Args:
            failure: what the response means in most APIs.
            response: the response.
        """
        ...

    def parse_models(self, body: bytes, *, secret: Secret | None) -> list[str]:
        """Return the names in the server's list of models."""
        ...


class Written(NamedTuple):
    """A request as it is sent."""

    body: dict[str, Any]
    args: Mapping[str, Any]
    """Its model args, with the API's names."""
    left_out: frozenset[str]
    """Which of lve's own args it goes without."""
    messages: Sequence[Message]
    """As they are sent."""


class HttpChatModel:
    """A model at an endpoint. It chats; it doesn't continue, rate or embed texts."""

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
        wire: writes requests and reads answers.
        transport: sends the requests.
        adjustments: what is known of how the model wants requests; it learns more.
        """
        self.name = name
        """The name that the user gave."""
        self.identity: Mapping[str, Any] = endpoint.identity
        """Provider, endpoint, served model and API version."""
        self.adjustments = adjustments or Adjustments(name, wire.renames)
        """How requests are written differently for this model."""
        self.endpoint = endpoint
        """The server."""
        self.transport = transport
        """Sends the requests."""
        self._wire = wire

    @property
    def sent_differently(self) -> dict[str, Any]:
        """How requests are written where the server doesn't take them as lve writes them."""
        return self.adjustments.to_json()

    async def complete(self, request: ChatRequest) -> Completion:
        """Make one attempt.

        Raises:
            AdjustedRequestError: the server refused what the next attempt leaves out.
            ModelError: the attempt failed.
        """
        wire = self._wire
        written = self.write(request)
        started = time.perf_counter()
        reader = None
        if request.stream:
            hear = request.listen() if request.listen is not None else None
            reader = EventReader(wire.joined, wire.parse, hear)
        response = await self.transport.post(
            wire.path(stream=request.stream),
            written.body,
            timeout_s=request.timeout_s or self.endpoint.timeout_s,
            on_data=None if reader is None else reader.feed,
        )
        latency_s = time.perf_counter() - started
        if reader is None or not 200 <= response.status < 300:
            return self.read(response, request, written, latency_s=latency_s)
        completion = reader.completion(latency_s=latency_s, secret=self.endpoint.secret)
        completion.left_out = tuple(sorted(written.left_out))
        return completion

    def write(self, request: ChatRequest) -> Written:
        """Return a request as the model takes it now.

        Raises:
            PermanentModelError: the API has no counterpart for it, or for a part of it.
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
        return Written(self._wire.body(request, given), args, left_out, request.messages)

    def read(
        self, response: HttpResponse, request: ChatRequest, written: Written, *, latency_s: float
    ) -> Completion:
        """Return the completion in a response that wasn't streamed.

        Raises:
            AdjustedRequestError: the server refused what the next attempt leaves out.
            ModelError: it is a failure, or no answer.
        """
        if not 200 <= response.status < 300:
            refusable = written.messages[self._refusable(written.messages) :]
            roles = [{"role": message.role.value} for message in refusable]
            sent = {**written.args, "messages": roles}
            raise self._failure(response, sent, request.by_default)
        secret = self.endpoint.secret
        completion = self._wire.parse(response.body, latency_s=latency_s, secret=secret)
        completion.left_out = tuple(sorted(written.left_out))
        return completion

    async def offered(self) -> list[str]:
        """Make one attempt to get the names of the models that the server offers.

        Raises:
            ModelError: the attempt failed.
        """
        path, timeout_s = self._wire.models_path, self.endpoint.timeout_s
        response = await self.transport.get(path, timeout_s=timeout_s)
        if not 200 <= response.status < 300:
            raise self._failure(response, {}, frozenset())
        return self._wire.parse_models(response.body, secret=self.endpoint.secret)

    async def aclose(self) -> None:
        """Close the connections."""
        await self.transport.aclose()

    def _left_out(self, request: ChatRequest) -> frozenset[str]:
        """Return which of lve's own args aren't sent."""
        refused = self.adjustments.left_out | self._wire.clashing(request.args)
        return (refused & request.by_default).intersection(request.args)

    def _failure(
        self, response: HttpResponse, sent: Mapping[str, Any], by_default: frozenset[str]
    ) -> ModelError:
        secret = self.endpoint.secret
        failure = classify(response.status, response.headers, response.body, secret=secret)
        failure = self._wire.failure(failure, response)
        return self.adjustments.after(failure, response.body, sent, by_default)

    def _refusable(self, messages: Sequence[Message]) -> int:
        """Return the index of the first message that can be refused for being the system's."""
        return len(messages) - len(split_system(messages)[1]) if self._wire.takes_system else 0

    def _only_chats(self, request: ChatRequest) -> ModelError:
        what = "rates no prompts" if request.score else "continues no texts"
        return PermanentModelError(
            f"{self._wire.provider}'s API {what}: it only chats (a local model `hf/NAME` or a "
            "server with OpenAI's /v1/completions can)",
            kind="not_supported",
        )
