"""Time limits: a result, a timeout, and a cancellation that is not lost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import lve
from lve.limits.timeouts import in_time


def test_a_result_in_time_is_returned() -> None:
    assert asyncio.run(in_time(asyncio.sleep(0, "result"), 5)) == "result"
    assert asyncio.run(in_time(asyncio.sleep(0, "result"), None)) == "result"


def test_what_takes_too_long_is_cancelled() -> None:
    ended: list[str] = []

    async def long() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    with pytest.raises(TimeoutError):
        asyncio.run(in_time(long(), 0.01))
    assert ended == ["cancelled"]


def test_a_cancellation_that_comes_with_the_result_is_not_lost() -> None:
    async def scenario() -> None:
        result = asyncio.get_running_loop().create_future()

        async def wait() -> object:
            return await result

        task = asyncio.create_task(in_time(wait(), 60))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        result.set_result("it came")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())


def test_nothing_else_in_lve_uses_what_may_lose_one() -> None:
    files = Path(lve.__file__).parent.rglob("*.py")
    using = [file.name for file in files if "asyncio.wait_for(" in file.read_text(encoding="utf-8")]
    assert using == []
