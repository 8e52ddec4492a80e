"""Workers are started together, replaced when they are lost, and get as much as each other."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lve.errors import SessionError, UsageError
from lve.extensions.ray import group as module
from lve.extensions.ray.connections import WorkerHandle, WorkerLostError
from lve.extensions.ray.group import WorkerGroup


class WorkerConnection:
    """Says what it is told to, and is gone when it is told to be."""

    def __init__(self) -> None:
        self.batches: asyncio.Queue[Any] = asyncio.Queue()

    def send(self, messages: list[Any]) -> None:
        pass

    def add_files(self, key: str, content: Any) -> None:
        pass

    async def batch(self) -> list[Any]:
        found: list[Any] = await self.batches.get()
        if not found:
            raise WorkerLostError("gone")
        return found

    async def ping(self) -> None:
        pass

    def kill(self) -> None:
        self.batches.put_nowait([])


class Started:
    """A group, and what it did."""

    def __init__(
        self,
        number: int,
        *,
        refusals: list[Exception] | None = None,
        deadline_s: float | None = None,
    ) -> None:
        self.connections: list[WorkerConnection] = []
        self.handled: list[Any] = []
        self.lost: list[int] = []
        self.warnings: list[str] = []
        self.refusals = refusals or []
        self.hold = asyncio.Event()
        self.hold.set()
        self.group = WorkerGroup(
            number,
            self.start,
            lambda worker, messages: self.handled.append((worker.number, messages)),
            lambda worker: self.lost.append(worker.number),
            self.warnings.append,
            deadline_s,
        )

    async def start(self) -> WorkerConnection:
        await self.hold.wait()
        if self.refusals:
            raise self.refusals.pop(0)
        self.connections.append(WorkerConnection())
        return self.connections[-1]


async def _settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def _give(worker: WorkerHandle | None) -> None:
    assert worker is not None
    worker.jobs[len(worker.jobs)] = asyncio.get_running_loop().create_future()


def test_nothing_is_handed_out_before_all_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        made = Started(3)
        beginning = asyncio.ensure_future(made.group.begin())
        await _settle()
        assert beginning.done()
        assert len(made.group.workers) == 3
        for _ in range(6):
            _give(made.group.free(2, 3))
        assert [len(worker.jobs) for worker in made.group.workers] == [2, 2, 2]
        assert made.group.free(2, 3) is None
        made.group.close()

    asyncio.run(scenario())


def test_the_first_waits_for_the_others_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "START_TOGETHER_S", 0.05)

    async def scenario() -> None:
        made = Started(2)
        await made.group.begin()
        made.hold.clear()
        assert made.group.free(2, 2) is None
        await made.group.change()
        assert made.group.free(2, 2) is made.group.workers[0]
        made.hold.set()
        await _settle()
        assert len(made.group.workers) == 2
        made.group.close()

    asyncio.run(scenario())


def test_a_lost_worker_is_replaced() -> None:
    async def scenario() -> None:
        made = Started(2)
        await made.group.begin()
        await _settle()
        made.connections[0].batches.put_nowait(["hello"])
        await _settle()
        assert made.handled == [(0, ["hello"])]
        made.connections[0].kill()
        await _settle()
        assert made.lost == [0]
        assert [worker.number for worker in made.group.workers] == [1, 2]
        made.group.close()

    asyncio.run(scenario())


def test_one_alone_gets_a_worker_for_itself() -> None:
    async def scenario() -> None:
        made = Started(2)
        await made.group.begin()
        await _settle()
        _give(made.group.free(4, 2))
        alone = made.group.free(4, 2, alone=True)
        assert alone is made.group.workers[1]
        _give(alone)
        assert made.group.free(4, 2) is made.group.workers[0]
        assert made.group.free(4, 2, alone=True) is None
        alone.is_reserved = False
        alone.jobs.clear()
        assert made.group.free(4, 2) is alone
        made.group.close()

    asyncio.run(scenario())


def test_only_so_many_workers_run_a_model() -> None:
    async def scenario() -> None:
        made = Started(3)
        await made.group.begin()
        await _settle()
        _give(made.group.free(1, 1))
        assert made.group.free(1, 1) is None
        assert made.group.free(1, 3) is made.group.workers[1]
        made.group.close()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        (WorkerLostError("no memory"), SessionError),
        (UsageError("another version", code="ray"), UsageError),
    ],
)
def test_a_first_worker_that_cannot_begin_ends_the_run(
    refusal: Exception, error: type[Exception]
) -> None:
    async def scenario() -> None:
        made = Started(2, refusals=[refusal])
        with pytest.raises(error, match=str(refusal)):
            await made.group.begin()
        made.group.close()

    asyncio.run(scenario())


def test_workers_that_end_before_they_have_anything_are_not_started_for_ever() -> None:
    async def scenario() -> None:
        made = Started(1)
        await made.group.begin()
        await _settle()
        made.refusals = [WorkerLostError("no memory") for _ in range(100)]
        made.connections[0].kill()
        await _settle()
        assert isinstance(made.group.failure, SessionError)
        assert "no memory" in str(made.group.failure)
        assert len(made.refusals) > 90
        made.group.close()

    asyncio.run(scenario())


def test_a_cluster_that_is_busy_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BUSY_NOTICE_S", 0.01)

    async def scenario() -> None:
        made = Started(1)
        made.hold.clear()
        beginning = asyncio.ensure_future(made.group.begin())
        while not made.warnings:  # noqa: ASYNC110 (a list)
            await asyncio.sleep(0.01)
        assert "`ray status`" in made.warnings[0]
        made.hold.set()
        await beginning
        made.group.close()

    asyncio.run(scenario())


def test_a_bug_in_taking_messages_is_told_to_who_waits() -> None:
    async def scenario() -> None:
        made = Started(1)

        def wrong(worker: WorkerHandle, messages: list[Any]) -> None:
            raise KeyError("wrong")

        made.group._handle = wrong
        await made.group.begin()
        await _settle()
        worker = made.group.free(2, 1)
        assert worker is not None
        worker.jobs[0] = asyncio.get_running_loop().create_future()
        waiting = made.group.change()
        made.connections[0].batches.put_nowait(["hello"])
        await waiting
        assert "handling a worker's messages" in str(made.group.failure)
        assert worker.jobs == {}
        made.group.close()

    asyncio.run(scenario())


@pytest.mark.parametrize(("frozen_s", "deadline_s"), [(0.05, None), (0.05, 60), (60, 0.05)])
def test_a_worker_that_does_not_answer_is_replaced(
    monkeypatch: pytest.MonkeyPatch, frozen_s: float, deadline_s: float | None
) -> None:
    monkeypatch.setattr(module, "FROZEN_S", frozen_s)
    monkeypatch.setattr(module, "PING_S", 0.01)

    async def scenario() -> None:
        made = Started(1, deadline_s=deadline_s)
        await made.group.begin()
        (first,) = made.connections
        await asyncio.sleep(0.2)
        assert made.lost == [], "it answers"
        first.ping = asyncio.Event().wait  # type: ignore[method-assign, assignment]
        await asyncio.sleep(0.3)
        assert made.lost == [0]
        assert len(made.connections) == 2
        assert "hasn't answered for 0.05 s" in made.warnings[0]
        made.group.close()

    asyncio.run(scenario())
