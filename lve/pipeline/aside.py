"""Work in threads, so that the loop sees to everything else meanwhile: judging, long computations,
reading large files."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lve.checkers.judge import Judge
from lve.execution.stop import INTERRUPTED, Stopped, StopSignal, resolve
from lve.execution.workers import Later

if TYPE_CHECKING:
    from concurrent.futures import Executor, ThreadPoolExecutor

Result = TypeVar("Result")
Item = TypeVar("Item")
BATCH = 256
"""Items that are handed over together."""
BATCH_S = 0.01
"""Seconds after which they are handed over, however few they are. So few large ones wait."""
PATIENCE_S = 0.5
"""Seconds that a judgement may still take once the user has interrupted the session."""


async def judged_aside(judge: Judge, work: Callable[[], Result], stop_signal: StopSignal) -> Result:
    """Return what work gives that uses a judge and may take long.

    Raises:
        CancelledError: the session gives up; so the checkers are stopped.
        Stopped: the user has interrupted the session, and the checkers take too long. Nothing is
            lost: the answer is in the cache.
    """
    return await _done_aside(work, _thread_of(judge), stop_signal, judge.stop)


async def made_aside(
    make: Callable[[], Result], thread: Executor, stop_signal: StopSignal
) -> Result:
    """Return what is made in a thread that may have to wait for a checker's process to start.

    Raises:
        CancelledError: the session gives up; so the processes are stopped.
        Stopped: the user has interrupted the session, and it takes too long.
    """
    return await _done_aside(make, thread, stop_signal, stop_checkers)


async def computed_aside(work: Callable[[], Result], stop_signal: StopSignal) -> Result:
    """Return what a long computation gives.

    Raises:
        Stopped: the session is or was stopped. The computation goes on, but nobody waits for it.
    """
    stop_signal.check()
    outcome: Future[Result] = Future()
    await stop_signal.wait(_in_thread(partial(_compute, work, outcome), "lve-compute"))
    return outcome.result()


async def called_aside(work: Callable[[], Result]) -> Result:
    """Return what a call gives that may block. Who gives up waiting leaves it alone."""
    outcome: Future[Result] = Future()
    await _in_thread(partial(_compute, work, outcome), "lve-call")
    return outcome.result()


def _compute(work: Callable[[], Result], outcome: Future[Result]) -> None:
    try:
        outcome.set_result(work())
    except BaseException as error:  # raised where the result is waited for
        outcome.set_exception(error)


def read_aside(items: Iterator[Item], stop_signal: StopSignal) -> Iterator[Item | Later]:
    """Yield what an iterator gives, and `Later` while it takes its time. Nobody else may use it.
    Call it in the loop's thread.

    Args:
        items: the iterator.
        stop_signal: once it is set, nobody waits for the next items.

    Raises:
        Exception: what the iterator raises.
    """
    batch = _Batch(items)
    while True:
        while not batch.ready.done():
            # A batch may be a whole file of which no row is taken. Ctrl-C ends the wait for it, and
            # then nobody asks again.
            yield Later(asyncio.ensure_future(stop_signal.wait(batch.ready)))
        # The next ones are read while these are worked on, so that mostly nobody waits for them.
        following = None if batch.is_last else _Batch(items)
        yield from batch.items
        if batch.error is not None:
            raise batch.error
        if following is None:
            return
        batch = following


class _Batch(Generic[Item]):
    """The next items of an iterator, which a thread reads, and how it ended."""

    def __init__(self, items: Iterator[Item]) -> None:
        self.items: list[Item] = []
        self.error: BaseException | None = None
        self.is_last = False
        self.ready = _in_thread(partial(self._fill, items), "lve-rows")
        """Done once they are there."""

    def _fill(self, items: Iterator[Item]) -> None:
        """Take items until it is enough."""
        end = time.monotonic() + BATCH_S
        try:
            for item in items:
                self.items.append(item)
                if len(self.items) >= BATCH or time.monotonic() > end:
                    return
        except BaseException as error:  # goes on in the loop's thread
            self.error = error
        self.is_last = True


def _in_thread(work: Callable[[], None], name: str) -> asyncio.Future[None]:
    """Have a thread do work, and return a future that is done then. Nobody waits for the thread at
    the end: Ctrl-C must not wait for a row, or for half a minute's numbers."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def run() -> None:
        work()
        with suppress(RuntimeError):  # the session has ended, and its loop is closed
            loop.call_soon_threadsafe(resolve, done)

    threading.Thread(target=run, name=name, daemon=True).start()
    return done


async def _done_aside(
    work: Callable[[], Result],
    thread: Executor,
    stop_signal: StopSignal,
    stop: Callable[[], object],
) -> Result:
    doing = asyncio.get_running_loop().run_in_executor(thread, work)
    try:
        await _patiently(doing, stop_signal)
    except (asyncio.CancelledError, Stopped):
        stop()
        _give_up(doing)
        raise
    return doing.result()


def _give_up(work: asyncio.Future[Any]) -> None:
    """Cancel work that still waits for a thread; ignore how work ends that has begun."""
    work.cancel()
    work.add_done_callback(lambda ended: ended.cancelled() or ended.exception())


async def _patiently(judging: asyncio.Future[Result], stop_signal: StopSignal) -> None:
    stopped = asyncio.ensure_future(stop_signal.wait(asyncio.get_running_loop().create_future()))
    either: set[asyncio.Future[Any]] = {judging, stopped}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if not stopped.cancel():
            stopped.exception()  # asyncio tells of one that nobody has looked at
    if not judging.done():
        is_interrupted = stop_signal.reason == INTERRUPTED
        await asyncio.wait({judging}, timeout=PATIENCE_S if is_interrupted else None)
    if not judging.done():
        raise Stopped(INTERRUPTED)


_THREADS: weakref.WeakKeyDictionary[Judge, ThreadPoolExecutor] = weakref.WeakKeyDictionary()


def _thread_of(judge: Judge) -> ThreadPoolExecutor:
    """Return a judge's own thread. It ends with the judge. One is enough, as a checker judges one
    instance at a time; and a slow checker takes none of the loop's threads, which look up hosts."""
    if judge not in _THREADS:
        from concurrent.futures import ThreadPoolExecutor

        _THREADS[judge] = ThreadPoolExecutor(1, thread_name_prefix="lve-judge")
    return _THREADS[judge]


def stop_checkers() -> None:
    """End the custom checkers that run now. May be called by the handler of a signal."""
    # Not imported here: a third Ctrl-C would find the module half loaded by the second. Where it
    # isn't loaded no checker runs.
    stop = getattr(sys.modules.get("lve.checkers.processes.judging_process"), "stop_checkers", None)
    if stop is not None:
        stop()
