"""Pools of workers, one pool per model. A worker takes an item, works on it, and takes the next.

Items come from sources, which are iterators, one per test. The pool takes items from them in turn,
so that no test has to wait for the end of another. Sources with a rank, which are further repeats,
come after all others, the lowest rank first: a budget goes to what it can decide. An item is made
only when a worker is free, so memory grows with the number of workers and not with the number of
items. Only items that never wait, as answers from the cache, are taken several at a time.
"""

from __future__ import annotations

import asyncio
from bisect import insort
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from time import monotonic
from typing import Any, Generic, TypeVar

from lve.execution.stop import Stopped, StopSignal
from lve.named_tuples import NamedTuple

Item = TypeVar("Item")

YIELD_AFTER = 16
"""A worker yields to the event loop after so many items, even if it never had to wait. A turn of
the loop takes a tenth of the time of such an item."""
TOGETHER = 16
"""The most items that are worked on together. A step that is done for all of them in turn finds its
code in the processor's caches: 16 rows take two thirds of the time of 16 times one row, and 256
rows no less."""
YIELD_AFTER_S = 0.002
"""The only worker goes on until so much time has passed: items from the cache are looked up
together in one turn of the loop."""


class WaitFor(NamedTuple):
    """A source yields this if its next item isn't ready. The pool asks it again when `until` is
    done."""

    until: asyncio.Future[Any]


Execute = Callable[[Sequence[Item]], tuple[int, Awaitable[None] | None]]
"""Works on items, as far as it goes without waiting; returns how many it has begun, and what is
left to do for these."""


class WorkerPool(Generic[Item]):
    """The workers of one model."""

    def __init__(
        self,
        execute: Execute[Item],
        *,
        width: int,
        stop_signal: StopSignal,
        max_sources: int | None = None,
    ) -> None:
        """Args:
        execute: works on items; begins at least one. An exception other than `Stopped` ends the
            session.
        width: most items in work at the same time.
        stop_signal: when it is set, no further item is taken.
        max_sources: most sources that are open at the same time; None: all.
        """
        self._execute = execute
        self._width = width
        self._stop_signal = stop_signal
        self._max_open = max_sources or 1 << 30
        self._open: deque[Iterator[Item | WaitFor]] = deque()
        self._queued: deque[Iterator[Item | WaitFor]] = deque()
        self._ranked: list[tuple[int, int, Iterator[Item | WaitFor]]] = []
        """(Rank, how many were added before, source), in order."""
        self._added = 0
        self._taken: deque[Item] = deque()
        """Items that were taken with others and not begun, because one of these has to wait."""
        self._together = 1
        """How many items are taken at a time."""
        self._workers: set[asyncio.Task[None]] = set()
        self._waiting: set[asyncio.Task[None]] = set()
        """One task for each source that has yielded `WaitFor`."""
        self._busy = 0
        """Workers that wait for an item."""
        self._will_grow = False
        self.failure: BaseException | None = None

    def add(self, source: Iterator[Item | WaitFor], rank: int = 0) -> None:
        """Add a source and start workers as needed. Call it in the event loop's thread.

        Args:
            source: of items.
            rank: 0: its items take turns with those of others. Else it waits for all others, and
                for those of a lower rank.
        """
        if rank:
            self._added += 1
            insort(self._ranked, (rank, self._added, source))
        else:
            self._queued.append(source)
        self._start_worker()

    def resize(self, width: int) -> None:
        """Change the number of items in work at the same time."""
        self._width = width

    def cancel(self) -> None:
        """Stop at once and give up the items in work."""
        for task in (*self._workers, *self._waiting):
            task.cancel()

    async def join(self) -> None:
        """Wait until all sources are exhausted.

        Raises:
            Exception: the first exception of `execute`.
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

    def _grow_soon(self) -> None:
        """Have workers started, as one of those that there are waits for something. (Items that
        never wait, as answers from the cache, leave nothing for a second worker.)"""
        if not self._will_grow and len(self._workers) < self._width:
            self._will_grow = True
            asyncio.get_running_loop().call_soon(self._grow)

    def _grow(self) -> None:
        """Start as many workers as wait: twice as many work then. So few items don't start a
        hundred workers."""
        self._will_grow = False
        for _ in range(self._busy):
            if self._taken or self._open or self._queued or self._ranked:
                self._start_worker()

    async def _work(self) -> None:
        done, yields_at = 0, monotonic() + YIELD_AFTER_S
        try:
            while items := self._take_some():
                begun, rest = self._execute(items)
                if rest is None:
                    self._together = min(2 * len(items), TOGETHER)
                else:
                    self._together = 1
                    if left := items[begun:]:
                        self._taken.extendleft(reversed(left))
                    self._grow_soon()
                    self._busy += 1
                    try:
                        await rest
                    finally:
                        self._busy -= 1
                # Items that never wait must not block the event loop.
                done += begun
                if done < YIELD_AFTER:
                    continue
                done = 0
                if len(self._workers) > 1 or monotonic() >= yields_at:
                    await asyncio.sleep(0)
                    yields_at = monotonic() + YIELD_AFTER_S
        except Stopped:
            pass
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self.failure = self.failure or error
        self._stop_signal.set("failure")

    def _take_some(self) -> list[Item]:
        """Return the next items, as many as are worked on together; none if none is ready. If a
        source fails, those before are still worked on."""
        items: list[Item] = []
        try:
            while len(items) < self._together and (item := self._take()) is not None:
                items.append(item)
        except Exception as error:
            self._fail(error)
        return items

    def _take(self) -> Item | None:
        """Return the next item, taking one from each open source in turn."""
        while self._stop_signal.reason is None:
            if self._taken:
                return self._taken.popleft()
            if self._queued and len(self._open) + len(self._waiting) < self._max_open:
                self._open.appendleft(self._queued.popleft())
            if not self._open and self._ranked:
                self._open.append(self._ranked.pop(0)[2])
            if not self._open:
                return None
            source = self._open[0]
            item = next(source, None)
            if item is None:
                self._open.popleft()
            elif isinstance(item, WaitFor):
                self._open.popleft()
                self._set_aside(source, item.until)
            else:
                self._open.rotate(-1)
                return item
        return None

    def _set_aside(self, source: Iterator[Item | WaitFor], until: asyncio.Future[object]) -> None:
        waiting = asyncio.get_running_loop().create_task(self._resume(source, until))
        self._waiting.add(waiting)
        waiting.add_done_callback(self._waiting.discard)

    async def _resume(
        self, source: Iterator[Item | WaitFor], until: asyncio.Future[object]
    ) -> None:
        """Queue a source again when its future is done. The source looks at the future's error
        itself."""
        try:
            await asyncio.wait({until})
        except asyncio.CancelledError:
            until.cancel()
            raise
        if not until.cancelled():
            until.exception()  # keeps asyncio from reporting that it was never retrieved
        self._queued.appendleft(source)
        self._start_worker()
