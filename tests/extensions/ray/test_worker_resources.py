"""What a worker leases from the run: what it asks and notes, word for word, and what it gets."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from lve.errors import BudgetError, SessionError
from lve.execution.budgets.bounds import Bounds
from lve.execution.budgets.budget import Budget, BudgetCaps
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
from lve.extensions.ray.worker_resources import (
    LeasedBudget,
    LeasedLimits,
    RemoteCache,
    WorkerResources,
    as_error,
)
from lve.messages import Completion, Usage
from lve.options.run_options import RunOptions
from lve.settings.model_settings import ModelSettings, Price
from lve.settings.settings import Settings

PRICE = Price(1.0, 2.0)
BOUNDS = Bounds(10, 20, 3)


class TheRun:
    """The run's side: keeps what it is asked and told, and gives one answer."""

    def __init__(self, answer: object = None) -> None:
        self.answer = answer
        self.asked: list[Any] = []
        self.told: list[Any] = []

    async def ask(self, content: object) -> Any:
        self.asked.append(content)
        return self.answer


def resources(run: TheRun, settings: Settings | None = None, **setup: Any) -> WorkerResources:
    options = setup.pop("options", RunOptions())
    said = {"processes": 1, "has_cache": True, **setup}
    return WorkerResources(Setup(options, settings or Settings(), **said), run.ask, run.told.append)


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        (Problem("budget", "used up", "judge"), BudgetError),
        (Problem("stopped", "used up"), Stopped),
        (Problem("session", "used up"), SessionError),
    ],
)
def test_a_problem_of_the_run_is_raised_as_there(problem: Problem, kind: type) -> None:
    error = as_error(problem)
    assert type(error) is kind
    assert "used up" in str(error)
    if isinstance(error, BudgetError):
        assert error.role == "judge"
    if type(error) is SessionError:
        assert error.code == "cache"


def test_an_attempt_is_leased_and_settled_or_given_back() -> None:
    run = TheRun(Lease(7, 64))
    budget = LeasedBudget(
        BudgetCaps(), StopSignal(), run.ask, run.told.append, role="judge", model="openai/m"
    )
    reservation = asyncio.run(budget.reserve_for(BOUNDS, PRICE))
    assert run.asked == [Reserve("judge", "openai/m", BOUNDS, PRICE)]
    assert reservation.imposed == 64
    usage = Usage(3, 4)
    budget.settle(reservation, usage, PRICE, free=True)
    budget.release(reservation)
    assert run.told == [Settle(7, usage, PRICE, True), ReleaseLease(7)]


def test_a_stopped_worker_leases_nothing() -> None:
    run, stop = TheRun(Lease(7, None)), StopSignal()
    stop.set("enough")
    with pytest.raises(Stopped):
        asyncio.run(LeasedBudget(BudgetCaps(), stop, run.ask, run.told.append).reserve_for(
            BOUNDS, None
        ))  # fmt: skip
    assert run.asked == []


@pytest.mark.parametrize("is_bounded", [False, True])
@pytest.mark.parametrize(
    ("caps", "needs"),
    [(BudgetCaps(), False), (BudgetCaps(requests=5), False), (BudgetCaps(tokens=5), True)],
)
def test_bounds_are_counted_where_a_cap_needs_them(
    caps: BudgetCaps, needs: bool, is_bounded: bool
) -> None:
    run = TheRun()
    more = {"is_bounded": True} if is_bounded else {}
    budget = LeasedBudget(caps, StopSignal(), run.ask, run.told.append, **more)
    assert budget.needs_bounds is (needs or is_bounded)


def test_budgets_of_the_session_and_of_a_role_are_the_runs() -> None:
    run, stop = TheRun(Lease(1, None)), StopSignal()
    made = resources(run, options=RunOptions(max_cost=2.0, max_tokens_total=9, max_requests=3))
    session = made.budget(stop)
    role = made.role_budget("judge", "openai/m", RunOptions(max_requests=4), session)
    assert session.caps == BudgetCaps(2.0, 9, 3)
    assert role.caps == BudgetCaps(requests=4)
    assert role.needs_bounds, "the session's budget around it is one of tokens"
    unbounded: Budget = resources(run).budget(stop)
    assert not made.role_budget("j", "m", RunOptions(), unbounded).needs_bounds
    for budget in (session, role):
        assert budget.stop_signal is stop
        asyncio.run(budget.reserve_for(BOUNDS, None))
    assert run.asked == [
        Reserve(None, "", BOUNDS, None), Reserve("judge", "openai/m", BOUNDS, None),
    ]  # fmt: skip


def test_the_rate_is_the_runs() -> None:
    run = TheRun(12.5)
    entry = ModelSettings(requests_per_minute=60)
    limits = resources(run).limits("openai/m", entry, StopSignal(), 3)
    waiting: list[int] = []

    async def ask(content: object) -> float:
        waiting.append(limits.waiting_for_rate)
        run.asked.append(content)
        return 12.5

    limits._ask = ask  # type: ignore[attr-defined]
    assert limits.is_paced
    assert asyncio.run(limits.pace(8.0)) == 12.5
    assert (waiting, limits.waiting_for_rate) == ([1], 0)
    limits.correct(12.5, 9, 4)
    assert run.asked == [Pace("openai/m", 8.0)]
    assert run.told == [Correct("openai/m", 12.5, 9, 4)]


@pytest.mark.parametrize(
    ("entry", "is_paced"),
    [({}, False), ({"requests_per_minute": 1}, True), ({"tokens_per_minute": 1}, True)],
)
def test_only_what_has_a_rate_asks_for_it(entry: dict[str, int], is_paced: bool) -> None:
    run = TheRun()
    limits = LeasedLimits("m", ModelSettings(**entry), StopSignal(), 3, run.ask, run.told.append)
    assert limits.is_paced is is_paced
    assert limits.concurrency.maximum == 3


@pytest.mark.parametrize(
    ("model", "processes", "connections"),
    [("openai/m", 4, 25), ("openai/m", 400, 1), ("unknown", 2, 50), ("dummy/dummy", 4, 100)],
)
def test_connections_to_a_server_are_shared(model: str, processes: int, connections: int) -> None:
    made = resources(TheRun(), processes=processes)
    assert made.connections(model, ModelSettings(max_connections=100)) == connections


@pytest.mark.parametrize("has_cache", [True, False])
def test_the_cache_is_the_runs_if_it_has_one(has_cache: bool) -> None:
    cache = resources(TheRun(), has_cache=has_cache).cache(
        Settings(), StopSignal(), warn=lambda text: None
    )
    assert cache.opened(Path) is (cache if has_cache else None)


def test_a_claim_is_given_up_once_and_only_if_nothing_was_stored() -> None:
    async def scenario(run: TheRun) -> None:
        cache = RemoteCache(run.ask, run.told.append, is_there=True)
        for key in ("stored", "released"):
            assert await cache.claim(key, 1.5) is None
        await cache.put("stored", completion, model="m")
        run.answer = completion
        assert await cache.claim("there", 2.5) == completion
        for key in ("stored", "released", "released", "there"):
            cache.release(key)

    run, completion = TheRun(), Completion("hi")
    asyncio.run(scenario(run))
    assert run.asked == [
        LookUp("stored", 1.5),
        LookUp("released", 1.5),
        StoreCompletion("stored", completion, "m"),
        LookUp("there", 2.5),
    ]
    assert run.told == [ReleaseClaim("released")]
