"""A time limit for something awaited, that loses no cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

Result = TypeVar("Result")


async def in_time(awaitable: Awaitable[Result], seconds: float | None) -> Result:
    """Return the result of `awaitable`, which is cancelled after `seconds`; None: no limit.

    Before Python 3.12, `asyncio.wait_for` forgets that it was cancelled if the result comes at the
    same moment (https://github.com/python/cpython/issues/86296). Then a second Ctrl-C has no effect
    on a request whose connection has just been opened.

    Raises:
        TimeoutError: there was no result in time.
    """
    async with asyncio.timeout(seconds):
        return await awaitable
