"""When the time of a request is over."""

from __future__ import annotations

import asyncio
import time

from lve.models.http.connections.connection import RequestTimer


def test_the_end_is_seen_before_a_busy_loop_calls_back() -> None:
    async def late() -> None:
        called: list[str] = []
        loop = asyncio.get_running_loop()
        timer = RequestTimer(loop)
        timer.start(loop.time(), 5.0, lambda: called.append("end"))
        assert loop.time() < timer.ends_at
        timer.start(loop.time() - 4.99, 5.0, lambda: called.append("end"))
        time.sleep(0.02)  # noqa: ASYNC251  # as reading many answers at once does
        assert loop.time() >= timer.ends_at
        assert called == []
        timer.stop()

    asyncio.run(late())
