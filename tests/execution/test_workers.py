"""Workers that pull lazily."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from typing import Any

import pytest

from lve.execution import workers as module
from lve.execution.stop import Stopped, StopSignal
from lve.execution.workers import WaitFor, WorkerPool


def one_by_one(
    execute: Callable[[Any], Awaitable[None] | None],
) -> Callable[[Sequence[Any]], tuple[int, Awaitable[None] | None]]:
    return lambda items: (1, execute(items[0]))


def run_lane(
    sources: list[Iterator[str]], *, width: int = 4, max_sources: int | None = None
) -> list[str]:
    done: list[str] = []

    async def execute(item: str) -> None:
        await asyncio.sleep(0)
        done.append(item)

    async def run() -> None:
        pool = WorkerPool(
            one_by_one(execute), width=width, stop_signal=StopSignal(), max_sources=max_sources
        )
        for source in sources:
            pool.add(source)
        await pool.join()

    asyncio.run(run())
    return done


def test_sources_take_turns() -> None:
    sources = (["a1", "a2", "a3", "a4"], ["b1"], ["c1", "c2", "c3"])
    done = run_lane([iter(source) for source in sources], width=1)
    assert [sorted(done[n : n + 3]) for n in (0, 3)] == [["a1", "b1", "c1"], ["a2", "a3", "c2"]]


def test_sources_with_a_rank_wait_for_the_others_and_for_lower_ranks() -> None:
    done: list[str] = []

    async def run() -> None:
        async def execute(item: str) -> None:
            await asyncio.sleep(0)
            done.append(item)
            if item == "d1":
                pool.add(iter(["e1", "e2"]), 1)

        pool = WorkerPool(one_by_one(execute), width=1, stop_signal=StopSignal())
        for rank, source in ((9, "ab"), (3, "c"), (0, "d"), (9, "f"), (0, "g")):
            pool.add(iter([f"{letter}{n}" for letter in source for n in (1, 2)]), rank)
        await pool.join()

    asyncio.run(run())
    assert sorted(done[:4]) == ["d1", "d2", "g1", "g2"]
    assert done[4:] == ["e1", "e2", "c1", "c2", "a1", "a2", "b1", "b2", "f1", "f2"]


def test_only_so_many_sources_are_open() -> None:
    opened: list[int] = []
    closed: list[int] = []
    most = 0

    def source(number: int) -> Iterator[str]:
        nonlocal most
        opened.append(number)
        most = max(most, len(opened) - len(closed))
        yield from ("x", "y")
        closed.append(number)

    assert len(run_lane([source(n) for n in range(20)], max_sources=3)) == 40
    assert most == 3


def test_work_is_made_only_when_a_worker_is_free() -> None:
    made = finished = most = 0

    def source() -> Iterator[int]:
        nonlocal made, most
        for number in range(1000):
            made += 1
            most = max(most, made - finished)
            yield number

    async def execute(_: int) -> None:
        nonlocal finished
        await asyncio.sleep(0)
        finished += 1

    async def run() -> None:
        pool = WorkerPool(one_by_one(execute), width=8, stop_signal=StopSignal())
        pool.add(source())
        await pool.join()

    asyncio.run(run())
    assert finished == 1000
    assert most <= 8


def test_work_can_be_added_while_others_run() -> None:
    done: list[int] = []

    async def run() -> None:
        pool: WorkerPool[int]

        async def execute(item: int) -> None:
            if item < 3:
                pool.add(iter([item + 1]))
            await asyncio.sleep(0)
            done.append(item)

        pool = WorkerPool(one_by_one(execute), width=2, stop_signal=StopSignal())
        pool.add(iter([0]))
        await pool.join()
        pool.add(iter([10]))
        await pool.join()

    asyncio.run(run())
    assert sorted(done) == [0, 1, 2, 3, 10]


def test_the_brake_stops_new_work_and_lets_the_rest_end() -> None:
    ended: list[int] = []

    async def run() -> None:
        stop_signal = StopSignal()

        async def execute(item: int) -> None:
            if item == 5:
                stop_signal.set("interrupted")
            await asyncio.sleep(0)
            ended.append(item)

        pool = WorkerPool(one_by_one(execute), width=2, stop_signal=stop_signal)
        pool.add(iter(range(100)))
        await pool.join()

    asyncio.run(run())
    assert 5 in ended
    assert len(ended) <= 7


def test_a_failure_ends_everything_and_is_raised() -> None:
    async def run() -> None:
        async def execute(item: int) -> None:
            await asyncio.sleep(0)
            if item == 3:
                raise OSError("disk full")

        pool = WorkerPool(one_by_one(execute), width=2, stop_signal=StopSignal())
        pool.add(iter(range(100)))
        await pool.join()

    with pytest.raises(OSError, match="disk full"):
        asyncio.run(run())


def test_stopped_work_is_no_failure() -> None:
    async def run() -> None:
        async def execute(item: int) -> None:
            raise Stopped("interrupted")

        pool = WorkerPool(one_by_one(execute), width=2, stop_signal=StopSignal())
        pool.add(iter([1]))
        await pool.join()

    asyncio.run(run())


def test_cancel_gives_up_what_is_under_way() -> None:
    async def run() -> None:
        begun: list[int] = []
        ended: list[int] = []
        all_have_begun = asyncio.Event()

        async def execute(item: int) -> None:
            begun.append(item)
            if len(begun) == 4:
                all_have_begun.set()
            try:
                await asyncio.sleep(3600)
            finally:
                ended.append(item)

        stop_signal = StopSignal()
        pool = WorkerPool(one_by_one(execute), width=4, stop_signal=stop_signal)
        pool.add(iter(range(10)))
        await all_have_begun.wait()
        stop_signal.set("interrupted")
        pool.cancel()
        await pool.join()
        assert begun == sorted(ended) == [0, 1, 2, 3]

    asyncio.run(run())


def test_a_source_that_has_nothing_yet_holds_up_no_other() -> None:
    done: list[str] = []

    async def execute(item: str) -> None:
        await asyncio.sleep(0)
        done.append(item)

    async def run() -> None:
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def late() -> Iterator[str | WaitFor]:
            yield WaitFor(ready)
            yield ready.result()

        def last() -> Iterator[str]:
            yield "b1"
            yield "b2"
            ready.set_result("a1")

        pool: WorkerPool[str] = WorkerPool(one_by_one(execute), width=1, stop_signal=StopSignal())
        pool.add(late())
        pool.add(last())
        await pool.join()

    asyncio.run(run())
    assert done == ["b1", "b2", "a1"]


def test_a_source_that_waits_counts_as_open() -> None:
    opened: list[str] = []

    async def execute(_: str) -> None:
        await asyncio.sleep(0)

    async def run() -> None:
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def source(name: str) -> Iterator[str | WaitFor]:
            opened.append(name)
            yield WaitFor(ready)
            yield name

        pool: WorkerPool[str] = WorkerPool(
            one_by_one(execute), width=4, stop_signal=StopSignal(), max_sources=2
        )
        for name in ("a", "b", "c"):
            pool.add(source(name))
        await asyncio.sleep(0.05)
        assert opened == ["a", "b"]
        ready.set_result(None)
        await pool.join()

    asyncio.run(run())
    assert opened == ["a", "b", "c"]


def _most_workers(execute_waits: bool, *, items: int, width: int) -> tuple[int, int]:
    """Return how many workers were started, and the most that worked at the same time."""
    started = most = busy = 0

    async def execute(_: int) -> None:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        if execute_waits:
            await asyncio.sleep(0.01)
        busy -= 1

    async def run() -> None:
        nonlocal started
        make = asyncio.get_running_loop().create_task

        def create_task(coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
            nonlocal started
            started += coroutine.__name__ == "_work"
            return make(coroutine)

        asyncio.get_running_loop().create_task = create_task  # type: ignore[method-assign,assignment]
        pool = WorkerPool(one_by_one(execute), width=width, stop_signal=StopSignal())
        pool.add(iter(range(items)))
        await pool.join()

    asyncio.run(run())
    return started, most


def test_items_that_never_wait_need_one_worker() -> None:
    assert _most_workers(False, items=500, width=64) == (1, 1)


def test_items_that_wait_are_all_worked_on_at_once() -> None:
    assert _most_workers(True, items=64, width=64) == (64, 64)


def test_few_items_start_few_workers() -> None:
    started, most = _most_workers(True, items=3, width=64)
    assert (most, started <= 4) == (3, True)


def test_the_only_worker_yields_after_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Items that never wait: every clock says that a millisecond has passed since the last one."""
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 0.001
        return now

    monkeypatch.setattr(module, "monotonic", clock)
    turns: list[int] = []

    async def scenario() -> None:
        async def execute(item: int) -> None:
            turns[-1] += 1

        async def count_turns() -> None:
            while True:
                turns.append(0)
                await asyncio.sleep(0)

        counting = asyncio.create_task(count_turns())
        await asyncio.sleep(0)
        pool = WorkerPool(one_by_one(execute), width=4, stop_signal=StopSignal())
        pool.add(iter(range(20 * module.YIELD_AFTER)))
        await pool.join()
        counting.cancel()

    asyncio.run(scenario())
    assert max(turns) == 2 * module.YIELD_AFTER, "2 ms are over at the second look at the clock"


def test_several_workers_yield_after_some_items() -> None:
    longest = 0

    async def scenario() -> None:
        since = 0

        async def execute(item: int) -> None:
            nonlocal since, longest
            since += 1
            longest = max(longest, since)
            if item < 2:
                await asyncio.sleep(0)

        async def turn() -> None:
            nonlocal since
            while True:
                since = 0
                await asyncio.sleep(0)

        turning = asyncio.create_task(turn())
        pool = WorkerPool(one_by_one(execute), width=2, stop_signal=StopSignal())
        pool.add(iter(range(1000)))
        await pool.join()
        turning.cancel()

    asyncio.run(scenario())
    assert longest <= 2 * module.YIELD_AFTER


def test_items_that_never_wait_are_taken_together() -> None:
    batches: list[list[int]] = []

    async def wait() -> None:
        await asyncio.sleep(0)

    def execute(items: Sequence[int]) -> tuple[int, Awaitable[None] | None]:
        """Begin items up to the first one that has to wait, 40."""
        begun = [*items[: items.index(40) + 1]] if 40 in items else [*items]
        batches.append(begun)
        return len(begun), wait() if 40 in begun else None

    async def run() -> None:
        pool = WorkerPool(execute, width=1, stop_signal=StopSignal())
        pool.add(iter(range(80)))
        await pool.join()

    asyncio.run(run())
    assert [len(batch) for batch in batches] == [1, 2, 4, 8, 16, 10, 1, 2, 4, 8, 16, 8]
    assert [item for batch in batches for item in batch] == [*range(80)]


@pytest.mark.parametrize("items", [10, 6], ids=["more follow", "no more follow"])
def test_items_that_were_taken_with_one_that_waits_are_others_work(items: int) -> None:
    done: list[int] = []

    async def run() -> None:
        ready, last = asyncio.get_running_loop().create_future(), items - 1

        def execute(together: Sequence[int]) -> tuple[int, Awaitable[None] | None]:
            if together[0] == 3:
                return 1, ready
            done.extend(together)
            if done[-1] == last:
                ready.set_result(None)
            return len(together), None

        pool = WorkerPool(execute, width=2, stop_signal=StopSignal())
        pool.add(iter(range(items)))
        await asyncio.wait_for(pool.join(), 5)

    asyncio.run(run())
    assert done == [number for number in range(items) if number != 3]


def test_items_before_the_failure_of_a_source_are_worked_on() -> None:
    done: list[int] = []

    def source() -> Iterator[int]:
        yield from range(6)
        raise OSError("unreadable")

    def execute(items: Sequence[int]) -> tuple[int, None]:
        done.extend(items)
        return len(items), None

    async def run() -> None:
        pool = WorkerPool(execute, width=2, stop_signal=StopSignal())
        pool.add(source())
        await pool.join()

    with pytest.raises(OSError, match="unreadable"):
        asyncio.run(run())
    assert done == [*range(6)]
