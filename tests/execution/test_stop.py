"""The signal that stops a session, for those who wait when it comes, come later, or are done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from lve.execution.stop import FAIL_FAST, INTERRUPTED, Stopped, StopSignal, is_cancelled

Scenario = Callable[[StopSignal], Coroutine[Any, Any, None]]


def after(scenario: Scenario) -> StopSignal:
    """Return a signal after a scenario in a loop of its own. Nothing may take as long as this."""
    signal = StopSignal()
    asyncio.run(asyncio.wait_for(scenario(signal), 10))
    return signal


def futures(count: int) -> list[asyncio.Future[None]]:
    return [asyncio.get_running_loop().create_future() for _ in range(count)]


async def waiting(signal: StopSignal, future: asyncio.Future[None]) -> asyncio.Task[None]:
    """Return a task that waits for a future already."""
    task = asyncio.create_task(signal.wait(future))
    await asyncio.sleep(0)
    assert not task.done()
    return task


def test_the_first_reason_is_kept() -> None:
    signal = StopSignal()
    signal.check()
    signal.set("first")
    signal.set("second")
    with pytest.raises(Stopped, match="first"):
        signal.check()


def test_the_reasons_stand_in_sessions_of_every_version() -> None:
    assert (INTERRUPTED, FAIL_FAST) == ("interrupted", "stopped")


def test_all_that_wait_are_stopped_but_those_that_are_done() -> None:
    async def scenario(signal: StopSignal) -> None:
        listed = futures(3)
        tasks = [await waiting(signal, future) for future in listed]
        listed[1].set_result(None)  # its task hasn't had its turn since
        signal.set("enough")
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        assert [str(end) for end in ends] == ["enough", "None", "enough"]
        assert all(isinstance(ends[number], Stopped) for number in (0, 2))

    after(scenario)


def test_who_comes_after_the_stop_does_not_wait() -> None:
    async def scenario(signal: StopSignal) -> None:
        signal.set("enough")
        [future] = futures(1)
        with pytest.raises(Stopped, match="enough"):
            await signal.wait(future)
        with pytest.raises(Stopped, match="enough"):
            await signal.sleep(3600)

    after(scenario)


def test_a_wait_ends_with_its_future_and_not_before() -> None:
    async def scenario(signal: StopSignal) -> None:
        [future] = futures(1)
        task = await waiting(signal, future)
        future.set_result(None)
        await task

    assert after(scenario).reason is None


def test_what_nobody_waits_for_any_more_is_not_held() -> None:
    async def scenario(signal: StopSignal) -> None:
        done, _, stopped = listed = futures(3)
        tasks = [await waiting(signal, future) for future in listed]
        assert signal._waiting == {*listed}
        done.set_result(None)
        tasks[1].cancel()
        await asyncio.wait(tasks[:2])
        assert signal._waiting == {stopped}
        signal.set("enough")
        assert signal._waiting == set()
        await asyncio.gather(*tasks, return_exceptions=True)

    after(scenario)


def test_a_sleep_ends_in_time_or_at_once_when_the_session_is_stopped() -> None:
    async def scenario(signal: StopSignal) -> None:
        await signal.sleep(0.001)
        long = asyncio.create_task(signal.sleep(3600))
        await asyncio.sleep(0)
        signal.set("enough")
        with pytest.raises(Stopped, match="enough"):
            await long

    after(scenario)


def test_a_sleep_that_is_stopped_leaves_no_timer() -> None:
    async def scenario(signal: StopSignal) -> None:
        loop = asyncio.get_running_loop()
        timers = []

        def call_later(*arguments: Any) -> asyncio.TimerHandle:
            timers.append(type(loop).call_later(loop, *arguments))
            return timers[-1]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loop, "call_later", call_later)
            long = asyncio.create_task(signal.sleep(3600))
            await asyncio.sleep(0)
        signal.set("enough")
        await asyncio.wait([long])
        assert [timer.cancelled() for timer in timers] == [True]

    after(scenario)


def test_a_task_knows_whether_it_was_cancelled_itself() -> None:
    seen: list[bool] = []

    async def wait_for(future: asyncio.Future[None]) -> None:
        seen.append(is_cancelled())
        try:
            await future
        except asyncio.CancelledError:
            seen.append(is_cancelled())

    async def scenario(_: StopSignal) -> None:
        theirs, own = futures(2)
        asyncio.get_running_loop().call_soon(lambda: seen.append(is_cancelled()))  # in no task
        await asyncio.sleep(0)
        task = asyncio.create_task(wait_for(theirs))
        await asyncio.sleep(0)
        theirs.cancel()
        await task
        task = asyncio.create_task(wait_for(own))
        await asyncio.sleep(0)
        task.cancel()
        await task

    after(scenario)
    assert seen == [False, False, False, False, True]
