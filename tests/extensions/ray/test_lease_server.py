"""What a run answers to its workers, and what it takes back from those that are lost."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace

from lve.execution.budgets.bounds import Bounds
from lve.execution.budgets.budget import Amount
from lve.execution.cache.contract import ClaimingStore
from lve.extensions.ray.connections import WorkerHandle
from lve.extensions.ray.lease_server import LeaseServer
from lve.extensions.ray.messages import (
    Call,
    Lease,
    LookUp,
    Problem,
    ReleaseClaim,
    ReleaseLease,
    Reply,
    Reserve,
    Settle,
    StoreCompletion,
)
from lve.messages import Completion, Usage
from lve.options.run_options import RunOptions
from lve.pipeline.engine import Engine
from lve.workspace import Workspace

ONE = Reserve(None, "dummy/dummy", Bounds(10, 20), None)


class WorkerConnection:
    """Notes what is sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send(self, messages: list[Any]) -> None:
        self.sent += messages

    def add_files(self, key: str, content: Any) -> None:
        raise AssertionError

    async def batch(self) -> list[Any]:
        raise AssertionError

    async def ping(self) -> None:
        pass

    def kill(self) -> None:
        raise AssertionError


class Store(ClaimingStore):
    """Notes what is claimed, and who lets others ask."""

    def __init__(self) -> None:
        super().__init__()
        self.claimed: list[str] = []
        self.released: list[str] = []
        self.kept: dict[str, Completion] = {}

    async def claim(self, key: str, patience_s: float) -> Completion | None:
        self.claimed.append(key)
        return self.kept.get(key)

    def release(self, key: str) -> None:
        self.released.append(key)

    async def put(self, key: str, completion: Completion, *, model: str = "") -> None:
        self.kept[key] = completion

    def cancel(self) -> None:
        raise AssertionError

    async def aclose(self) -> None:
        raise AssertionError


class Ran:
    """A run and one of its workers."""

    def __init__(self, root: Path, cache: Any = None, **options: Any) -> None:
        self.engine = Engine(Workspace(workspace(root)), RunOptions(**options), warn=pytest.fail)
        if cache is not None:
            self.engine.models.open_cache = lambda: cache  # type: ignore[method-assign]
        self.answering = LeaseServer(self.engine.models)
        self.connection = WorkerConnection()
        self.worker = WorkerHandle(0, self.connection)
        self._asked = 0

    async def ask(self, content: Any) -> Any:
        self._asked += 1
        self.answering.take(self.worker, Call(self._asked, content))
        for _ in range(200):
            for one in self.connection.sent:
                if isinstance(one, Reply) and one.number == self._asked:
                    return one.problem or one.answer
            await asyncio.sleep(0.005)
        return "nothing yet"


def test_a_lease_is_reserved_and_settled_in_the_budget_of_the_run(tmp_path: Path) -> None:
    async def scenario() -> None:
        ran = Ran(tmp_path, max_tokens_total=100)
        lease = await ran.ask(ONE)
        assert isinstance(lease, Lease)
        assert ran.engine.models.budget.committed == Amount(0.0, 30, 1)
        ran.answering.take(ran.worker, Settle(lease.number, Usage(5, 5), None, free=False))
        assert ran.engine.models.budget.committed == Amount(0.0, 10, 1)
        ran.answering.take(ran.worker, Settle(lease.number, Usage(5, 5), None, free=False))
        assert ran.engine.models.budget.committed == Amount(0.0, 10, 1), "said twice, counted once"
        other = await ran.ask(ONE)
        ran.answering.take(ran.worker, ReleaseLease(other.number))
        assert ran.engine.models.budget.committed == Amount(0.0, 10, 1)

    asyncio.run(scenario())


def test_what_a_lost_worker_has_leased_counts_as_spent(tmp_path: Path) -> None:
    async def scenario() -> None:
        ran = Ran(tmp_path, max_tokens_total=100)
        for _ in range(2):
            await ran.ask(ONE)
        ran.answering.lose(ran.worker)
        assert ran.engine.models.budget.spent == Amount(0.0, 60, 2)
        assert not ran.worker.leases

    asyncio.run(scenario())


def test_a_worker_that_is_lost_while_it_waits_takes_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        ran = Ran(tmp_path, max_requests=1)
        first = await ran.ask(ONE)
        waiting = asyncio.ensure_future(ran.ask(ONE))
        await asyncio.sleep(0.02)
        other = WorkerHandle(1, WorkerConnection())
        other.leases, ran.worker.leases = ran.worker.leases, {}
        ran.answering.lose(ran.worker)
        ran.answering.take(other, ReleaseLease(first.number))
        await asyncio.sleep(0.02)
        assert ran.engine.models.budget.committed == Amount()
        waiting.cancel()

    asyncio.run(scenario())


def test_a_budget_that_is_used_up_is_told_in_the_words_of_the_run(tmp_path: Path) -> None:
    async def scenario() -> None:
        ran = Ran(tmp_path, max_requests=1)
        lease = await ran.ask(ONE)
        ran.answering.take(ran.worker, Settle(lease.number, None, None, free=False))
        problem = await ran.ask(ONE)
        assert isinstance(problem, Problem)
        assert problem.kind == "budget"
        assert "1 of 1 requests" in problem.text

    asyncio.run(scenario())


def test_the_cache_of_the_run_is_asked_and_keeps_what_comes(tmp_path: Path) -> None:
    async def scenario() -> None:
        ran = Ran(tmp_path)
        key = "ab" * 32
        assert await ran.ask(LookUp(key, 60.0)) is None
        cache = ran.engine.models.open_cache()
        assert cache is not None
        assert list(cache.asking) == [key], "another run that comes now waits for it"
        assert await ran.ask(StoreCompletion(key, Completion("hi"), "m")) is None
        assert cache.asking == {}
        found = await ran.ask(LookUp(key, 60.0))
        assert (found.text, found.cached) == ("hi", True)
        await ran.answering.close()
        await ran.engine.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("end", ["stored", "released", "lost"])
def test_a_worker_waits_for_what_another_one_asks_for(tmp_path: Path, end: str) -> None:
    async def scenario() -> None:
        ran, key = Ran(tmp_path), "ab" * 32
        assert await ran.ask(LookUp(key, 60.0)) is None
        first, ran.worker = ran.worker, WorkerHandle(1, ran.connection)
        waiting = asyncio.ensure_future(ran.ask(LookUp(key, 60.0)))
        await asyncio.sleep(0.02)
        assert not waiting.done()
        if end == "stored":
            ran.answering.take(first, Call(99, StoreCompletion(key, Completion("hi"), "m")))
        elif end == "released":
            ran.answering.take(first, ReleaseClaim(key))
        else:
            ran.answering.lose(first)
        answer = await waiting
        assert (answer and answer.text) == ("hi" if end == "stored" else None)
        await ran.answering.close()
        await ran.engine.close()

    asyncio.run(scenario())


def test_an_answer_is_kept_even_if_its_worker_is_lost_at_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        ran = Ran(tmp_path)
        key = "ab" * 32
        ran.answering.take(ran.worker, Call(99, StoreCompletion(key, Completion("hi"), "m")))
        ran.answering.lose(ran.worker)
        await ran.answering.close()
        found = await ran.ask(LookUp(key, 60.0))
        assert found.text == "hi"
        await ran.engine.close()

    asyncio.run(scenario())


def test_claims_on_a_shared_store_end_with_the_answer_or_with_the_worker(tmp_path: Path) -> None:
    async def scenario() -> None:
        store = Store()
        ran = Ran(tmp_path, store)
        for key in ("a", "b", "c"):
            assert await ran.ask(LookUp(key, 60.0)) is None
        await ran.ask(StoreCompletion("a", Completion("hi"), "m"))
        ran.answering.take(ran.worker, ReleaseClaim("b"))
        assert store.released == ["a", "b"]
        assert list(store.asking) == ["c"]
        ran.answering.lose(ran.worker)
        assert store.released == ["a", "b", "c"]
        assert store.asking == {}
        assert store.claimed == ["a", "b", "c"]
        assert (await ran.ask(LookUp("a", 60.0))).text == "hi"

    asyncio.run(scenario())


def test_a_bug_is_answered_too(tmp_path: Path) -> None:
    async def scenario() -> None:
        ran = Ran(tmp_path, max_tokens_total=100)
        for content in (ONE._replace(bounds=None), "what?"):
            problem = await ran.ask(content)
            assert isinstance(problem, Problem)
            assert problem.kind == "session"

    asyncio.run(scenario())
