"""Computations that take long keep nobody waiting."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from lve.execution.stop import INTERRUPTED, Stopped, StopSignal
from lve.execution.workers import WaitFor
from lve.pipeline.threads import BATCH, compute_in_thread, read_in_thread


def test_the_loop_goes_on_while_something_is_computed() -> None:
    release = threading.Event()

    async def run() -> int:
        computing = asyncio.ensure_future(
            compute_in_thread(lambda: release.wait(10) and 7, StopSignal())
        )
        await asyncio.sleep(0)
        assert not computing.done()
        release.set()
        return await computing

    assert asyncio.run(run()) == 7


def test_what_goes_wrong_is_raised_where_the_result_is_waited_for() -> None:
    with pytest.raises(ZeroDivisionError):
        asyncio.run(compute_in_thread(lambda: 1 // 0, StopSignal()))


def test_ctrl_c_waits_for_no_computation() -> None:
    release = threading.Event()

    async def run() -> None:
        stop_signal = StopSignal()
        computing = asyncio.ensure_future(compute_in_thread(lambda: release.wait(10), stop_signal))
        await asyncio.sleep(0)
        stop_signal.set(INTERRUPTED)
        with pytest.raises(Stopped):
            await computing
        with pytest.raises(Stopped):
            await compute_in_thread(lambda: pytest.fail("is computed"), stop_signal)

    started = time.monotonic()
    asyncio.run(run())
    assert time.monotonic() - started < 5
    release.set()


@pytest.mark.parametrize("count", [0, 1, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH + 1])
@pytest.mark.parametrize("fails", [False, True])
def test_all_that_a_thread_reads_comes_in_order_and_then_its_error(count: int, fails: bool) -> None:
    def items() -> Iterator[int]:
        yield from range(count)
        if fails:
            raise ValueError("torn")

    read: list[object] = []

    async def run() -> None:
        for item in read_in_thread(items(), StopSignal()):
            if isinstance(item, WaitFor):
                await item.until
            else:
                read.append(item)

    with pytest.raises(ValueError, match="torn") if fails else nullcontext():
        asyncio.run(run())
    assert read == [*range(count)]
