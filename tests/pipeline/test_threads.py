"""Computations that take long keep nobody waiting."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from lve.execution.stop import INTERRUPTED, Stopped, StopSignal
from lve.pipeline.threads import compute_in_thread


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
