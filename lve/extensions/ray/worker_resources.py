"""The budget, limits and cache of a worker's engine, which are leased from the run.

The run has one budget, one rate limit per model and one cache for all workers. A lease is for one
attempt. It costs a message there and back (2 ms; messages of many requests travel together). In
return no limit is ever exceeded, and no worker holds a share that it doesn't need.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from lve.data_classes import dataclass
from lve.errors import BudgetError, SessionError
from lve.execution.budgets.bounds import Bounds
from lve.execution.budgets.budget import Amount, Budget, BudgetCaps, Reservation
from lve.execution.cache.contract import ClaimingStore
from lve.execution.request_limits import ModelLimits
from lve.execution.stop import Stopped, StopSignal
from lve.extensions.ray.messages import (
    Correct,
    Lease,
    LookUp,
    Pace,
    Problem,
    ReleaseClaim,
    ReleaseLease,
    Reserve,
    Settle,
    Setup,
    StoreCompletion,
)
from lve.extensions.ray.shapes import is_served
from lve.messages import Completion, Usage
from lve.options.run_options import RunOptions
from lve.pipeline.resources.resources import Resources
from lve.settings.model_settings import ModelSettings, Price
from lve.settings.settings import Settings

Ask = Callable[[object], Awaitable[Any]]
"""Sends the content of a `Call` to the run, and returns the reply; raises `as_error` of a
problem."""
Notify = Callable[[object], None]
"""Sends a message to the run that has no reply."""


def as_error(problem: Problem) -> Exception:
    """Return the error that a reply of the run reports."""
    if problem.kind == "budget":
        return BudgetError(problem.text, role=problem.role)
    if problem.kind == "stopped":
        return Stopped(problem.text)
    return SessionError(problem.text, code="cache")


@dataclass(slots=True)
class LeasedAmount(Amount):
    """An amount that the run has reserved; only the run knows how much it is."""

    lease: int = 0


class LeasedBudget(Budget):
    """The run's budget, or the budget of one of its roles, as a worker uses it."""

    def __init__(
        self,
        caps: BudgetCaps,
        stop_signal: StopSignal,
        ask: Ask,
        notify: Notify,
        *,
        role: str | None = None,
        model: str = "",
        is_bounded: bool = False,
    ) -> None:
        """Args:
        caps: the run's caps, which only decide whether the run is asked at all.
        stop_signal: the stop signal of the worker's engine.
        ask: calls the run.
        notify: notifies the run.
        role: the role that the budget is for; None: the session's budget.
        model: the model that has the role.
        is_bounded: whether the session's budget around a role's needs bounds.
        """
        super().__init__(caps, stop_signal, role=role)
        self._ask, self._notify, self._model = ask, notify, model
        self._is_bounded = is_bounded

    @property
    def needs_bounds(self) -> bool:
        """Whether the run needs an attempt's bounds, and not just the number of attempts."""
        return self.bounds_answers or self._is_bounded

    async def reserve_for(self, bounds: Bounds, price: Price | None) -> Reservation:
        """Lease one attempt from the run; errors as `Budget.reserve`."""
        self.stop_signal.check()
        lease: Lease = await self._ask(Reserve(self._role, self._model, bounds, price))
        return Reservation(LeasedAmount(lease=lease.number), lease.imposed)

    def settle(
        self, reservation: Reservation, usage: Usage | None, price: Price | None, *, free: bool
    ) -> None:
        """Report to the run what an attempt took; arguments as `Budget.settle`."""
        self._notify(Settle(_number(reservation), usage, price, free))

    def release(self, reservation: Reservation) -> None:
        """Return the lease of an attempt that never reached the server."""
        self._notify(ReleaseLease(_number(reservation)))


class LeasedLimits(ModelLimits):
    """The run's rate limit for a model, and this worker's share of its connections."""

    def __init__(
        self,
        name: str,
        entry: ModelSettings,
        stop_signal: StopSignal,
        width: int,
        ask: Ask,
        notify: Notify,
    ) -> None:
        """Args:
        name: the model's name.
        entry: the model's settings.
        stop_signal: the stop signal of the worker's engine.
        width: most requests in flight.
        ask: calls the run.
        notify: notifies the run.
        """
        super().__init__(stop_signal=stop_signal, clock=time.monotonic, max_connections=width)
        self._name = name
        self.is_paced = bool(entry.requests_per_minute or entry.tokens_per_minute)
        self._ask, self._notify = ask, notify

    async def pace(self, expected_prompt_tokens: float) -> float:
        """Wait until the run allows another request; return its expected number of tokens."""
        self.waiting_for_rate += 1
        try:
            expected: float = await self._ask(Pace(self._name, expected_prompt_tokens))
        finally:
            self.waiting_for_rate -= 1
        return expected

    def correct(self, expected: float, actual: int, answer: int) -> None:
        """Report to the run what a request took; arguments as `ModelLimits.correct`."""
        self._notify(Correct(self._name, expected, actual, answer))


class RemoteCache(ClaimingStore):
    """The run's cache of completions."""

    def __init__(self, ask: Ask, notify: Notify, *, is_there: bool) -> None:
        """Args:
        ask: calls the run.
        notify: notifies the run.
        is_there: whether the run has a cache.
        """
        super().__init__()
        self._ask, self._notify = ask, notify
        self._is_there = is_there
        self._claimed: set[str] = set()

    async def claim(self, key: str, patience_s: float) -> Completion | None:
        """Return the completion under a key; None if the caller has to ask the model for it."""
        completion: Completion | None = await self._ask(LookUp(key, patience_s))
        if completion is None:
            self._claimed.add(key)
        return completion

    def release(self, key: str) -> None:
        """Give up the claim on a key for which no answer was stored."""
        if key in self._claimed:
            self._claimed.discard(key)
            self._notify(ReleaseClaim(key))

    async def put(self, key: str, completion: Completion, *, model: str = "") -> None:
        """Store a completion; it is durable when this returns."""
        await self._ask(StoreCompletion(key, completion, model))
        self._claimed.discard(key)

    def opened(self, folder: Callable[[], Path]) -> RemoteCache | None:
        """Return this cache; None if the run has none."""
        return self if self._is_there else None

    def cancel(self) -> None:
        """Do nothing: the run closes its cache."""

    async def close(self) -> None:
        """Do nothing: the run closes its cache."""

    async def aclose(self) -> None:
        """Do nothing: the run closes its cache."""


class WorkerResources(Resources):
    """The resources of a worker's engine."""

    def __init__(self, setup: Setup, ask: Ask, notify: Notify) -> None:
        """Args:
        setup: the worker's setup.
        ask: calls the run.
        notify: notifies the run.
        """
        super().__init__(setup.options)
        self._setup = setup
        self._ask, self._notify = ask, notify

    def budget(self, stop_signal: StopSignal) -> Budget:
        caps = super().budget(stop_signal).caps
        return LeasedBudget(caps, stop_signal, self._ask, self._notify)

    def role_budget(self, role: str, model: str, most: RunOptions, session: Budget) -> Budget:
        own = super().role_budget(role, model, most, session)
        return LeasedBudget(
            own.caps,
            own.stop_signal,
            self._ask,
            self._notify,
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
        return LeasedLimits(name, entry, stop_signal, width, self._ask, self._notify)

    def cache(
        self, settings: Settings, stop_signal: StopSignal, *, warn: Callable[[str], None]
    ) -> RemoteCache:
        return RemoteCache(self._ask, self._notify, is_there=self._setup.has_cache)


def _number(reservation: Reservation) -> int:
    amount = reservation.amount
    assert isinstance(amount, LeasedAmount)
    return amount.lease
