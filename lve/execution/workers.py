"""Who works on what, and when: a few long-lived workers per model that pull work lazily.

A pool has one model's queue. Its work comes from sources (iterators, one per test, say) in turn, so
that no test waits for another one to end, and an item is made only when a worker is free to take
it. Memory grows with the workers, never with the work.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from lve.execution.stop import Stopped, StopSignal

Item = TypeVar("Item")

YIELD_AFTER = 16
"""Pieces of work that a worker may do without letting the event loop see to others: a turn of the
loop costs as much as a tenth of a piece that never has to wait."""


@dataclass(frozen=True, slots=True)
class Later:
    """What a source yields that has nothing to give yet: it is asked again once `until` is done."""

    until: asyncio.Future[Any]


class WorkerPool(Generic[Item]):
    """Works off the queue of one model."""

    def __init__(
        self,
        execute: Callable[[Item], Awaitable[None]],
        *,
        width: int,
        stop_signal: StopSignal,
        max_sources: int | None = None,
    ) -> None:
        """Args:
        execute: does one piece of work. What it raises, `Stopped` apart, ends the session.
        width: how many pieces are worked on at once.
        stop_signal: once it is set, no more work is taken.
        max_sources: how many sources are open at once; None for all.
        """
        self._execute = execute
        self._width = width
        self._stop_signal = stop_signal
        self._max_open = max_sources or 1 << 30
        self._open: deque[Iterator[Item | Later]] = deque()
        self._queued: deque[Iterator[Item | Later]] = deque()
        self._workers: set[asyncio.Task[None]] = set()
        self._waiting: set[asyncio.Task[None]] = set()
        """One for each source that has nothing to give yet."""
        self.failure: BaseException | None = None
        self.active = 0
        """How many pieces are being worked on."""

    def add(self, source: Iterator[Item | Later]) -> None:
        """Add work. Call it from the event loop's thread; workers start by themselves."""
        self._queued.append(source)
        self._start_worker()

    def cancel(self) -> None:
        """Stop at once: what is under way is given up."""
        for task in (*self._workers, *self._waiting):
            task.cancel()

    async def join(self) -> None:
        """Wait until all work is done.

        Raises:
            Exception: what a piece of work raised.
        """
        while tasks := self._workers | self._waiting:
            await asyncio.wait(tasks)
        if self.failure is not None:
            raise self.failure

    def _start_worker(self) -> None:
        if len(self._workers) >= self._width or self._stop_signal.reason is not None:
            return
        worker = asyncio.get_running_loop().create_task(self._work())
        self._workers.add(worker)
        worker.add_done_callback(self._workers.discard)

    async def _work(self) -> None:
        done = 0
        try:
            while (item := self._take()) is not None:
                # One worker starts the next: a handful of items don't wake a hundred workers.
                self._start_worker()
                self.active += 1
                try:
                    await self._execute(item)
                finally:
                    self.active -= 1
                # Work that never has to wait must not keep the loop from everything else.
                done += 1
                if done % YIELD_AFTER == 0:
                    await asyncio.sleep(0)
        except Stopped:
            pass
        except Exception as error:
            self.failure = self.failure or error
            self._stop_signal.set("failure")

    def _take(self) -> Item | None:
        """Return the next piece of work: one from each open source in turn."""
        while self._stop_signal.reason is None:
            if self._queued and len(self._open) + len(self._waiting) < self._max_open:
                self._open.appendleft(self._queued.popleft())
            if not self._open:
                return None
            source = self._open[0]
            item = next(source, None)
            if item is None:
                self._open.popleft()
            elif isinstance(item, Later):
                self._open.popleft()
                self._set_aside(source, item.until)
            else:
                self._open.rotate(-1)
                return item
        return None

    def _set_aside(self, source: Iterator[Item | Later], until: asyncio.Future[Any]) -> None:
        waiting = asyncio.get_running_loop().create_task(self._resume(source, until))
        self._waiting.add(waiting)
        waiting.add_done_callback(self._waiting.discard)

    async def _resume(self, source: Iterator[Item | Later], until: asyncio.Future[Any]) -> None:
        """Take a source up again when what it waits for is done, however that ended: the source
        looks at it."""
        try:
            await asyncio.wait({until})
        except asyncio.CancelledError:
            until.cancel()
            raise
        if not until.cancelled():
            until.exception()  # asyncio tells of one that nobody has looked at
        self._queued.appendleft(source)
        self._start_worker()
