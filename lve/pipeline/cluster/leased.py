"""What a worker's engine may use: it asks the run, which has one budget, one rate for each model
and one cache for all workers.

A lease is for one attempt. It costs a message there and back (2 ms; those of many requests travel
together), and in return nothing is exceeded, and nothing lies idle with a worker that doesn't need
it.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lve.errors import BudgetError, SessionError
from lve.execution.budgets.bounds import Bounds
from lve.execution.budgets.budget import Amount, Budget, BudgetCaps, Reservation
from lve.execution.cache.contract import ClaimingStore
from lve.execution.limits import ModelLimits
from lve.execution.stop import Stopped, StopSignal
from lve.messages import Completion, Usage
from lve.pipeline.cluster.messages import (
    Correct,
    GiveBack,
    Keep,
    Lease,
    Look,
    Pace,
    Problem,
    Reserve,
    Settle,
    Setup,
    Unclaim,
)
from lve.pipeline.cluster.shapes import is_served
from lve.pipeline.resources.resources import Resources
from lve.run_options import RunOptions
from lve.settings.model_settings import ModelSettings, Price
from lve.settings.settings import Settings

Ask = Callable[[Any], Awaitable[Any]]
"""Asks the run a question; raises what `as_error` makes of its refusal."""
Tell = Callable[[Any], None]
"""Tells the run something."""


def as_error(problem: Problem) -> Exception:
    """Return the error that the run had."""
    if problem.kind == "budget":
        return BudgetError(problem.text)
    if problem.kind == "stopped":
        return Stopped(problem.text)
    return SessionError(problem.text, code="cache")


@dataclass(slots=True)
class LeasedAmount(Amount):
    """What the run has reserved: only it knows how much that is."""

    lease: int = 0


class LeasedBudget(Budget):
    """The run's budget, or that of one of its roles."""

    def __init__(
        self,
        caps: BudgetCaps,
        stop_signal: StopSignal,
        ask: Ask,
        tell: Tell,
        *,
        role: str | None = None,
        model: str = "",
        is_bounded: bool = False,
    ) -> None:
        """Args:
        caps: of the run; they only say whether it has to be asked.
        stop_signal: of the worker's engine.
        ask: asks the run.
        tell: tells it something.
        role: whose it is; None: the session's.
        model: that has the role.
        is_bounded: whether the budget around it needs bounds.
        """
        super().__init__(caps, stop_signal)
        self._ask, self._tell = ask, tell
        self._role, self._model = role, model
        self._is_bounded = is_bounded

    @property
    def needs_bounds(self) -> bool:
        """Whether the run looks at more than the number of attempts."""
        return self.bounds_answers or self._is_bounded

    async def reserve_for(self, bounds: Bounds, price: Price | None) -> Reservation:
        """Ask the run for one attempt; errors as of `Budget.reserve`."""
        self.stop_signal.check()
        lease: Lease = await self._ask(Reserve(self._role, self._model, bounds, price))
        return Reservation(LeasedAmount(lease=lease.number), lease.imposed)

    def settle(
        self, reservation: Reservation, usage: Usage | None, price: Price | None, *, free: bool
    ) -> None:
        """Tell the run what an attempt took; arguments as of `Budget`."""
        self._tell(Settle(_number(reservation), usage, price, free))

    def release(self, reservation: Reservation) -> None:
        """Give back the lease of an attempt that never reached the server."""
        self._tell(GiveBack(_number(reservation)))


class LeasedLimits(ModelLimits):
    """The run's rates of a model, and this worker's part of its connections."""

    def __init__(
        self,
        name: str,
        entry: ModelSettings,
        stop_signal: StopSignal,
        width: int,
        ask: Ask,
        tell: Tell,
    ) -> None:
        """Args:
        name: of the model.
        entry: its settings.
        stop_signal: of the worker's engine.
        width: most requests at once.
        ask: asks the run.
        tell: tells it something.
        """
        super().__init__(stop_signal=stop_signal, clock=time.monotonic, max_connections=width)
        self._name = name
        self._has_rate = bool(entry.requests_per_minute or entry.tokens_per_minute)
        self._ask, self._tell = ask, tell

    @property
    def is_paced(self) -> bool:
        """Whether the settings limit this model's rate."""
        return self._has_rate

    async def pace(self, expected_prompt_tokens: float) -> float:
        """Wait until the run allows another request; return its expected number of tokens."""
        self.waiting_for_rate += 1
        try:
            expected: float = await self._ask(Pace(self._name, expected_prompt_tokens))
        finally:
            self.waiting_for_rate -= 1
        return expected

    def correct(self, expected: float, actual: int, answer: int) -> None:
        """Tell the run what a request took; arguments as of `ModelLimits`."""
        self._tell(Correct(self._name, expected, actual, answer))


class RemoteCache(ClaimingStore):
    """The run's cache of answers."""

    def __init__(self, ask: Ask, tell: Tell, *, is_there: bool) -> None:
        """Args:
        ask: asks the run.
        tell: tells it something.
        is_there: whether the run has a cache.
        """
        self._ask, self._tell = ask, tell
        self._is_there = is_there
        self._claimed: set[str] = set()

    async def claim(self, key: str, patience_s: float) -> Completion | None:
        """Return the completion under a key; None if the caller is the one to ask for it."""
        found: Completion | None = await self._ask(Look(key, patience_s))
        if found is None:
            self._claimed.add(key)
        return found

    def release(self, key: str) -> None:
        """Let others ask, if no answer was kept under a key."""
        if key in self._claimed:
            self._claimed.discard(key)
            self._tell(Unclaim(key))

    async def put(self, key: str, completion: Completion, *, model: str = "") -> None:
        """Store a completion; it is durable when this returns."""
        await self._ask(Keep(key, completion, model))
        self._claimed.discard(key)

    def opened(self, folder: Callable[[], Path]) -> RemoteCache | None:
        """Return this; None if the run has no cache."""
        return self if self._is_there else None

    def cancel(self) -> None:
        """Do nothing: the run closes its cache."""

    async def close(self) -> None:
        """Do nothing: the run closes its cache."""

    async def aclose(self) -> None:
        """Do nothing: the run closes its cache."""


class WorkerResources(Resources):
    """What the engine of a worker may use."""

    def __init__(self, setup: Setup, ask: Ask, tell: Tell) -> None:
        """Args:
        setup: of the worker.
        ask: asks the run.
        tell: tells it something.
        """
        super().__init__(setup.options)
        self._setup = setup
        self._ask, self._tell = ask, tell

    def budget(self, stop_signal: StopSignal) -> Budget:
        caps = super().budget(stop_signal).caps
        return LeasedBudget(caps, stop_signal, self._ask, self._tell)

    def role_budget(self, role: str, model: str, most: RunOptions, session: Budget) -> Budget:
        own = super().role_budget(role, model, most, session)
        return LeasedBudget(
            own.caps,
            own.stop_signal,
            self._ask,
            self._tell,
            role=role,
            model=model,
            is_bounded=session.bounds_answers,
        )

    def connections(self, name: str, entry: ModelSettings) -> int:
        whole = super().connections(name, entry)
        if not is_served(name, self._setup.settings):
            return whole
        return max(1, whole // min(whole, self._setup.processes))

    def limits(
        self, name: str, entry: ModelSettings, stop_signal: StopSignal, width: int
    ) -> ModelLimits:
        return LeasedLimits(name, entry, stop_signal, width, self._ask, self._tell)

    def cache(
        self, settings: Settings, stop_signal: StopSignal, *, warn: Callable[[str], None]
    ) -> RemoteCache:
        return RemoteCache(self._ask, self._tell, is_there=self._setup.has_cache)


def _number(reservation: Reservation) -> int:
    amount = reservation.amount
    assert isinstance(amount, LeasedAmount)
    return amount.lease
