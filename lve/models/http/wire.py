"""The interface between the HTTP chat model and the format of an API: `Wire`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from lve.errors import ModelError, PermanentModelError
from lve.messages import Completion, Message
from lve.models.chat_model import ChatRequest
from lve.models.http.adjustments import Adjustments
from lve.models.http.answers import parse_models
from lve.models.http.connections.transport import HttpResponse
from lve.models.http.events import StreamAccumulator
from lve.models.http.keys import Secret
from lve.models.http.parts import split_system, without_system
from lve.named_tuples import NamedTuple


class WrittenRequest(NamedTuple):
    """A request in the format of an API."""

    wire: Wire
    """What wrote it, and reads its response."""
    path: str
    """The path below the server's address."""
    body: dict[str, Any]
    left_out: frozenset[str] = frozenset()
    """The default args that aren't sent, because the model refuses them."""
    args: Mapping[str, object] = {}
    """The model args that are sent, if the body has them in another form."""
    messages: Sequence[Message] = ()
    """The messages that are sent, if the body has them in another form."""


class Refusable(NamedTuple):
    """The parts of a request that an error may name; arguments of `Adjustments.learn_from`."""

    body: Mapping[str, Any]
    by_default: frozenset[str] = frozenset()
    names: Mapping[str, str] | None = None


class Wire(Protocol):
    """Writes an API's requests and reads its responses. Pure functions."""

    provider: str
    """The API's provider, for error messages."""
    renames: Mapping[str, str] = {}
    """Model arg -> the API's name for it."""
    models_path: str
    """Path of the list of models, below the base URL."""
    address_end: str = "/v1"
    """How addresses of the API's servers usually end."""
    can_stream: bool = True
    """Whether the API streams its answers if it is asked to."""
    title: str = ""
    """What the user calls the API, if its server has another one."""
    identity: Mapping[str, object] = {}
    """What to add to the identity of a model that is used through this API."""

    def for_request(self, request: ChatRequest) -> Wire:
        """Return the wire that writes the request: this one, or one for texts or ratings.

        Raises:
            PermanentModelError: the server only chats.
        """
        if request.prompt is None and not request.score:
            return self
        what = "rates no prompts" if request.score else "continues no texts"
        raise PermanentModelError(
            f"{self.provider}'s API {what}: it only chats (a local model `hf/NAME` or a "
            "server with OpenAI's /v1/completions can)",
            kind="not_supported",
        )

    def write(self, request: ChatRequest, adjustments: Adjustments) -> WrittenRequest:
        """Return the request in the API's format, adjusted to what the model refused so far.

        Raises:
            PermanentModelError: the API has no equivalent for a part of the request.
        """
        ...

    def refusable(self, request: ChatRequest, written: WrittenRequest) -> Refusable:
        """Return what an error may name of a request."""
        return Refusable(written.body, request.by_default)

    def parse(self, body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
        """Return the completion in the body of a successful response.

        Raises:
            ModelError: the body has no completion.
        """
        ...

    def accumulator(self) -> StreamAccumulator:
        """Return an empty accumulator for a streamed answer."""
        ...

    def other(self, response: HttpResponse) -> Wire | None:
        """Return the wire of the API that the server wants instead, by its response to a failed
        request; None if it doesn't."""
        return None

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


class NativeWire(Wire, Protocol):
    """A wire for an API whose format isn't OpenAI's, in which lve keeps messages and args: these
    are adjusted before they are translated."""

    takes_system: bool
    """Whether all models accept system messages at the beginning."""

    def path(self, *, stream: bool) -> str:
        """Return the path of a request, below the base URL."""
        ...

    def body(self, request: ChatRequest, args: Mapping[str, object]) -> dict[str, Any]:
        """Return the body of a request.

        Args:
            request: the request.
            args: its model args, with the API's names.

        Raises:
            PermanentModelError: the API has no equivalent for a part of the request.
        """
        ...

    def clashing(self, args: Mapping[str, object]) -> frozenset[str]:
        """Return the default args that the API refuses in combination with `args`."""
        return frozenset()

    def write(self, request: ChatRequest, adjustments: Adjustments) -> WrittenRequest:
        """Return the request in the API's format; see `Wire.write`."""
        clashing = self.clashing(request.args)
        left_out = adjustments.unsent(request.args, request.by_default, clashing)
        args = {name: value for name, value in request.args.items() if name not in left_out}
        args = adjustments.apply(args, request.by_default)
        if adjustments.system_as != "system":
            messages = without_system(request.messages, from_=self._refusable(request.messages))
            request = replace(request, messages=messages)
        set_args = {name: value for name, value in args.items() if value is not None}
        body = self.body(request, set_args)
        path = self.path(stream=request.stream)
        return WrittenRequest(self, path, body, left_out, args, request.messages)

    def refusable(self, request: ChatRequest, written: WrittenRequest) -> Refusable:
        """Return the args and the messages' roles in lve's format; see `Wire.refusable`."""
        refusable = written.messages[self._refusable(written.messages) :]
        roles = [{"role": message.role.value} for message in refusable]
        return Refusable({**written.args, "messages": roles}, request.by_default)

    def _refusable(self, messages: Sequence[Message]) -> int:
        """Return the index from which on messages may be refused for having the role `system`."""
        return len(messages) - len(split_system(messages)[1]) if self.takes_system else 0
