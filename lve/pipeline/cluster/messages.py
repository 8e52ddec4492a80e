"""What a run and its workers say to each other. Both are the same version of lve."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from lve.execution.budgets.bounds import Bounds
from lve.execution.traffic import Traffic
from lve.messages import Completion, Usage
from lve.results.records import InstanceResult
from lve.run_options import RunOptions
from lve.settings.model_settings import Price
from lve.settings.settings import Settings
from lve.spec.model import Instance, Spec


class Variables(dict[str, str]):
    """Environment variables, with keys: nothing prints them."""

    def __repr__(self) -> str:
        return "Variables(...)"


class Setup(NamedTuple):
    """What a worker begins with."""

    options: RunOptions
    settings: Settings
    processes: int
    """How many workers there are of its kind."""
    has_cache: bool
    known_models: bytes | None = None
    """The workspace's own table of models."""


# From the run to a worker.


class NewTest(NamedTuple):
    """A test whose instances come."""

    number: int
    spec: Spec
    files: str
    """Sum of the content of its files."""
    model: str
    advisory: frozenset[int]
    variables: Variables
    """That its models need."""


class Work(NamedTuple):
    """An instance to run. Many of them travel together."""

    number: int
    test: int
    instance: Instance
    repeat: int


class Problem(NamedTuple):
    """Why a question has no answer."""

    kind: Literal["budget", "session", "stopped"]
    text: str


class Reply(NamedTuple):
    """The answer to a question."""

    number: int
    answer: Any = None
    problem: Problem | None = None
    """Why there is none."""


class Stop(NamedTuple):
    """Send nothing more; what is under way ends."""

    reason: str


class Cancel(NamedTuple):
    """Give up what is under way, too."""


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
    """The worker has stopped; what isn't done has no result."""

    reason: str
    text: str | None
    """What went wrong, or which budget is used up."""


class Warned(NamedTuple):
    """A warning for the user."""

    text: str


class Counted(NamedTuple):
    """What was sent to a model since the last time."""

    completer: str
    traffic: Traffic


class Question(NamedTuple):
    """Something that the run knows."""

    number: int
    content: Any


class Look(NamedTuple):
    """Which answer is kept under a key? None: ask for it yourself."""

    key: str
    patience_s: float
    """How long to wait for another machine that asks."""


class Keep(NamedTuple):
    """Keep an answer; it is durable when the reply comes."""

    key: str
    completion: Completion
    model: str


class Reserve(NamedTuple):
    """May this attempt be made? The reply is a `Lease`. What a lost worker has reserved counts as
    spent."""

    role: str | None
    """Whose budget it is; None: the session's."""
    model: str
    bounds: Bounds
    price: Price | None


class Lease(NamedTuple):
    """The attempt may be made."""

    number: int
    imposed: int | None
    """`max_tokens` that the budget adds to the request."""


class Settle(NamedTuple):
    """What an attempt took; arguments as of `Budget.settle`."""

    lease: int
    usage: Usage | None
    price: Price | None
    free: bool


class GiveBack(NamedTuple):
    """An attempt never reached the server."""

    lease: int


class Pace(NamedTuple):
    """When may the next request to a model be sent? The reply comes then; it is the number of
    tokens that it is expected to take."""

    model: str
    prompt_tokens: float


class Correct(NamedTuple):
    """What it took; arguments as of `ModelLimits.correct`."""

    model: str
    expected: float
    actual: int
    answer: int


class Unclaim(NamedTuple):
    """The answer under a key won't come from this worker: others may ask for it."""

    key: str
