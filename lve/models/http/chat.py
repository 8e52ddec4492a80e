"""The chat model at an HTTP API; a `Wire` knows the API's format."""

from __future__ import annotations

import time
from collections.abc import Mapping

from lve.errors import AdjustedRequestError, ModelError, TransientModelError
from lve.messages import Completion
from lve.models.chat_model import FAILED_REASONS, ChatRequest
from lve.models.http.adjustments import Adjustments
from lve.models.http.connections.transport import HttpResponse, Transport
from lve.models.http.endpoint import NO_SUCH_PATH, Endpoint, usual_address
from lve.models.http.events import EventReader
from lve.models.http.failures import classify
from lve.models.http.wire import Refusable, Wire, WrittenRequest

EVENTS = "text/event-stream"


class HttpChatModel:
    """A chat model at an endpoint."""

    holds_timeout = True
    is_remote = True

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
        self.identity: Mapping[str, object] = {**endpoint.identity, **wire.identity}
        self.adjustments = adjustments or Adjustments(name, wire.renames)
        self.endpoint = endpoint
        self.transport = transport
        self._wire = wire
        self._replaced: Wire | None = None
        """The first wire, once the server wanted its other API."""

    @property
    def sent_differently(self) -> dict[str, object]:
        """How requests differ from lve's usual ones, because the server refused those."""
        return {**self.adjustments.to_json(), **self._wire.identity}

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the completion. Makes one attempt.

        Raises:
            AdjustedRequestError: the server refused something that the next attempt leaves out,
                renames or sends through the server's other API.
            ModelError: the attempt failed.
        """
        written = self.write(request)
        wire = written.wire
        started = time.perf_counter()
        reader = None
        if request.stream and wire.can_stream:
            on_text = request.listen() if request.listen is not None else None
            reader = EventReader(wire.accumulator, wire.parse, on_text)
        try:
            response = await self.transport.post(
                written.path,
                written.body,
                timeout_s=request.timeout_s or self.endpoint.timeout_s,
                on_data=None if reader is None else reader.feed,
            )
        except TransientModelError:
            if reader is None or not reader.is_whole:
                raise
            response = HttpResponse(200, {}, b"")  # the connection broke behind the whole answer
        latency_s = round(time.perf_counter() - started, 6)  # as cache and journal have it
        if reader is None or not response.is_success:
            return self.read(response, request, written, latency_s=latency_s)
        completion = reader.completion(latency_s=latency_s, secret=self.endpoint.secret)
        return _answered(completion, written)

    def write(self, request: ChatRequest) -> WrittenRequest:
        """Return the request in the API's format, adjusted to what the model refused so far.

        Raises:
            PermanentModelError: the API has no equivalent for the request, or for a part of it.
        """
        return self._wire.for_request(request).write(request, self.adjustments)

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
            AdjustedRequestError: the server refused something that the next attempt changes.
            ModelError: the request failed, or the response has no completion.
        """
        if not response.is_success:
            raise self._refusal(response, request, written)
        secret, wire = self.endpoint.secret, written.wire
        if wire.can_stream and _is_stream(response):
            reader = EventReader(wire.accumulator, wire.parse, None)  # some gateways always stream
            reader.feed(response.body)
            return _answered(reader.completion(latency_s=latency_s, secret=secret), written)
        completion = wire.parse(response.body, latency_s=latency_s, secret=secret)
        return _answered(completion, written)

    async def list_models(self) -> list[str]:
        """Return the names of the server's models. Makes one attempt.

        Raises:
            ModelError: the attempt failed.
        """
        path, timeout_s = self._wire.models_path, self.endpoint.timeout_s
        response = await self.transport.get(path, timeout_s=timeout_s)
        if not response.is_success:
            raise self.failure(response, self._wire, Refusable({}))
        return self._wire.parse_models(response.body, secret=self.endpoint.secret)

    async def aclose(self) -> None:
        """Close the connections."""
        await self.transport.aclose()

    def failure(self, response: HttpResponse, wire: Wire, sent: Refusable) -> ModelError:
        """Return the error of a failed request, from which the next ones learn.

        Args:
            response: the response.
            wire: what wrote the request.
            sent: what the response may refuse.
        """
        secret = self.endpoint.secret
        failure = classify(response.status, response.headers, response.body, secret=secret)
        failure = wire.failure(failure, response)
        better = usual_address(self.endpoint.base_url, wire.address_end)
        if response.status in NO_SUCH_PATH and better and self.endpoint.provider != "azure":
            failure.args = (f"{failure}; perhaps the base URL is {better}",)
        return self.adjustments.learn_from(failure, response.body, *sent)

    def _refusal(
        self, response: HttpResponse, request: ChatRequest, written: WrittenRequest
    ) -> ModelError:
        """Return the error of a failed request for a completion."""
        wire, status = written.wire, response.status
        if self._is_other_wanted(response, wire):
            message = f"{status}: the server wants the other API"
            return AdjustedRequestError(message, kind="adjusted", status=status)
        return self.failure(response, wire, wire.refusable(request, written))

    def _is_other_wanted(self, response: HttpResponse, wire: Wire) -> bool:
        """Return whether to send a failed request again, through the server's other API. The API
        changes at most once."""
        if wire is self._replaced:
            return True  # the request was in flight when the API changed
        other = wire.other(response)
        if other is None:
            return False
        self._replaced, self._wire = wire, other
        self.adjustments.tell(f"is asked by {other.title}: its server wants that")
        return True


def _is_stream(response: HttpResponse) -> bool:
    """Whether a response has events, which never begin as JSON does."""
    if response.body.startswith(b"{"):
        return False
    return response.headers.get("content-type", "").startswith(EVENTS)


def _answered(completion: Completion, written: WrittenRequest) -> Completion:
    """Return the completion of a request, with what wasn't sent.

    Raises:
        TransientModelError: the server gave the answer up.
    """
    if completion.finish_reason in FAILED_REASONS:
        message = f"the server gave the answer up (finish_reason: {completion.finish_reason})"
        raise TransientModelError(message, kind="server_error")
    if written.left_out:
        completion.left_out, completion.is_plain = tuple(sorted(written.left_out)), False
    return completion
