"""When the time of a request is over."""

from __future__ import annotations

import asyncio
import time

from lve.models.http.request_timer import RequestTimer


def test_the_end_is_seen_before_a_busy_loop_calls_back() -> None:
    async def late() -> None:
        called: list[str] = []
        timer = RequestTimer(asyncio.get_running_loop(), lambda: called.append("end"))
        timer.start(5.0, 0.0)
        assert not timer.is_over()
        timer.start(5.0, 4.99)
        time.sleep(0.02)  # noqa: ASYNC251  # as reading many answers at once does
        assert timer.is_over()
        assert called == []
        timer.stop()

    asyncio.run(late())
