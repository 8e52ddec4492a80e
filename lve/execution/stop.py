"""The signal that stops a session. All code that waits or sends requests checks it."""

from __future__ import annotations

import asyncio
from typing import Any

INTERRUPTED = "interrupted"
"""The reason if the user stops the session."""
FAIL_FAST = "stopped"
"""The reason if `--fail-fast` stops the session."""


class Stopped(Exception):
    """The session was stopped: the current item is given up without a result."""


class StopSignal:
    """Stops a session: nothing more is sent, and everything that waits raises `Stopped`.

    Attributes:
        reason: `interrupted`, `budget` or the text of an error once it is set; None before.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self._waiting: set[asyncio.Future[Any]] = set()

    def set(self, reason: str) -> None:
        """Stop the session. The first reason is kept. Call it in the event loop's thread."""
        if self.reason is not None:
            return
        self.reason = reason
        for future in self._waiting:
            if not future.done():
                future.set_exception(Stopped(reason))
        self._waiting.clear()

    def check(self) -> None:
        """Raise `Stopped` if the session was stopped."""
        if self.reason is not None:
            raise Stopped(self.reason)

    async def wait(self, future: asyncio.Future[Any]) -> None:
        """Wait for a future.

        Raises:
            Stopped: the session is or was stopped.
        """
        self.check()
        self._waiting.add(future)
        try:
            await future
        finally:
            self._waiting.discard(future)

    async def sleep(self, seconds: float) -> None:
        """Sleep, or raise `Stopped` as soon as the session is stopped."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        handle = loop.call_later(seconds, resolve, future)
        try:
            await self.wait(future)
        finally:
            handle.cancel()


def resolve(future: asyncio.Future[None]) -> None:
    """Complete a future, unless it is done or cancelled."""
    if not future.done():
        future.set_result(None)


def is_cancelled() -> bool:
    """Whether the running task itself was cancelled, and not just something that it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
