"""The messages between a run and its workers, which have the same version; they go in batches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Literal

from lve.execution.budgets.bounds import Bounds
from lve.execution.traffic import Traffic
from lve.messages import Completion, Usage
from lve.named_tuples import NamedTuple
from lve.options.run_options import RunOptions
from lve.sessions.instance_result import InstanceResult
from lve.settings.model_settings import Price
from lve.settings.settings import Settings
from lve.spec.spec import Instance, Spec


class Variables(dict[str, str]):
    """Environment variables, some of them keys, that no `repr` shows."""

    def __repr__(self) -> str:
        return "Variables(...)"


class Setup(NamedTuple):
    """What a worker is started with."""

    options: RunOptions
    settings: Settings
    processes: int
    """How many workers its group has."""
    has_cache: bool
    known_models: bytes | None = None
    """The workspace's own table of models."""


# From the run to a worker.


class NewTest(NamedTuple):
    """A test whose instances will be sent."""

    number: int
    spec: Spec
    files: str
    """Hash of its files, which are sent apart."""
    model: str
    advisory: frozenset[int]
    """Indexes of its advisory checks."""
    variables: Variables
    """The environment variables that its models need."""


class Work(NamedTuple):
    """An instance to run."""

    number: int
    test: int
    instance: Instance
    repeat: int


class Problem(NamedTuple):
    """Why a call has no answer."""

    kind: Literal["budget", "session", "stopped"]
    text: str
    role: str | None = None
    """The role whose budget is used up; None: the session's, or another problem."""


class Reply(NamedTuple):
    """The answer to a `Call`."""

    number: int
    answer: object = None
    problem: Problem | None = None
    """Why there is none."""


class Stop(NamedTuple):
    """Send nothing more; instances in flight end."""

    reason: str


class Cancel(NamedTuple):
    """Give up the instances in flight, too."""


# From a worker to the run.


class Done(NamedTuple):
    """An instance has its result."""

    number: int
    result: InstanceResult


class Refused(NamedTuple):
    """The test of an instance can't be made ready on that machine."""

    number: int
    reason: str


class Ended(NamedTuple):
    """The worker has stopped. Instances without a result get none."""

    reason: str
    text: str | None
    """What went wrong, or which budget is used up."""
    role: str | None = None
    """The role whose budget is used up."""


class Warned(NamedTuple):
    """A warning for the user."""

    text: str


class TrafficCount(NamedTuple):
    """What was sent to a model since the last such message."""

    completer: str
    traffic: Traffic


class Call(NamedTuple):
    """A call that the run answers with a `Reply` of the same number."""

    number: int
    content: object


class LookUp(NamedTuple):
    """Look a completion up in the cache. The reply is None if the worker has to ask the model."""

    key: str
    patience_s: float
    """How long to wait for another machine that has claimed the key."""


class StoreCompletion(NamedTuple):
    """Store a completion in the cache. It is durable when the reply comes."""

    key: str
    completion: Completion
    model: str


class Reserve(NamedTuple):
    """Reserve budget for one attempt. The reply is a `Lease`. What a lost worker has reserved
    counts as spent."""

    role: str | None
    """The role whose budget it is; None: the session's."""
    model: str
    bounds: Bounds
    price: Price | None


class Lease(NamedTuple):
    """The permission to make one attempt."""

    number: int
    imposed: int | None
    """`max_tokens` that the budget adds to the request."""


class Settle(NamedTuple):
    """What an attempt took; fields as the arguments of `Budget.settle`."""

    lease: int
    usage: Usage | None
    price: Price | None
    free: bool


class ReleaseLease(NamedTuple):
    """Give back the lease of an attempt that never reached the server."""

    lease: int


class Pace(NamedTuple):
    """Wait for the model's rate limit. The reply comes when the request may be sent; it is the
    number of tokens that the request is expected to take."""

    model: str
    prompt_tokens: float


class Correct(NamedTuple):
    """What a request took; fields as the arguments of `ModelLimits.correct`."""

    model: str
    expected: float
    actual: int
    answer: int


class ReleaseClaim(NamedTuple):
    """Give up the claim on a cache key, so that others may ask the model."""

    key: str


COLLECT_S = 0.002
"""Seconds that the first message of a batch waits for others; sending a batch takes about as
long."""


class Outbox:
    """Sends messages in batches, in their order."""

    def __init__(
        self, send: Callable[[list[object]], None], *, last: Callable[[], Iterable[object]] = tuple
    ) -> None:
        """Args:
        send: sends a batch.
        last: returns messages to add at the end of each batch.
        """
        self._send = send
        self._last = last
        self._messages: list[object] = []

    def put(self, message: object) -> None:
        """Send a message soon. Call it in the event loop's thread."""
        if not self._messages:
            asyncio.get_running_loop().call_later(COLLECT_S, self.flush)
        self._messages.append(message)

    def flush(self) -> None:
        """Send the collected messages now."""
        if self._messages:
            messages, self._messages = self._messages, []
            self._send([*messages, *self._last()])
