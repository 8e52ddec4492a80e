"""Runs blocking work in threads, so that the event loop stays free: judging, long computations,
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
from lve.execution.workers import WaitFor

if TYPE_CHECKING:
    from concurrent.futures import Executor, ThreadPoolExecutor

Result = TypeVar("Result")
Item = TypeVar("Item")
BATCH = 256
"""Items that the reading thread hands over at once."""
BATCH_S = 0.01
"""Seconds after which the thread hands over what it has, so that slow items don't wait for a full
batch."""
PATIENCE_S = 0.5
"""Seconds that a judgement may go on after the user has interrupted the session."""


async def judge_in_thread(
    judge: Judge, work: Callable[[], Result], stop_signal: StopSignal
) -> Result:
    """Run `work`, which calls `judge`, in the judge's own thread, and return its result.

    Raises:
        CancelledError: the session was cancelled. The judge's checkers are stopped.
        Stopped: the user has interrupted the session, and the checkers take longer than
            `PATIENCE_S`. Nothing is lost: the answer is in the cache.
    """
    return await _run_stoppable(work, _thread_of(judge), stop_signal, judge.stop)


async def make_in_thread(
    make: Callable[[], Result], thread: Executor, stop_signal: StopSignal
) -> Result:
    """Run `make` in `thread`, and return its result. It may start a checker's process.

    Raises:
        CancelledError: the session was cancelled. The checkers' processes are stopped.
        Stopped: the user has interrupted the session, and `make` takes longer than `PATIENCE_S`.
    """
    return await _run_stoppable(make, thread, stop_signal, stop_checkers)


async def compute_in_thread(work: Callable[[], Result], stop_signal: StopSignal) -> Result:
    """Run a long computation in a new thread, and return its result.

    Raises:
        Stopped: the session is or was stopped. The thread goes on, its result is ignored.
    """
    stop_signal.check()
    outcome: Future[Result] = Future()
    await stop_signal.wait(_in_thread(partial(_compute, work, outcome), "lve-compute"))
    return outcome.result()


async def call_in_thread(work: Callable[[], Result]) -> Result:
    """Run a call that may block in a new thread, and return its result. Cancelling the caller
    doesn't stop the thread."""
    outcome: Future[Result] = Future()
    await _in_thread(partial(_compute, work, outcome), "lve-call")
    return outcome.result()


def _compute(work: Callable[[], Result], outcome: Future[Result]) -> None:
    try:
        outcome.set_result(work())
    except BaseException as error:  # raised where the result is waited for
        outcome.set_exception(error)


def read_in_thread(items: Iterator[Item], stop_signal: StopSignal) -> Iterator[Item | WaitFor]:
    """Yield the items of an iterator that a thread reads, and `WaitFor` while no item is ready.
    Call it in the event loop's thread.

    Args:
        items: the iterator; only the thread may use it.
        stop_signal: when it is set, waiting for the next items ends.

    Raises:
        Exception: whatever the iterator raises.
    """
    batch = _Batch(items)
    while True:
        while not batch.ready.done():
            # Filling a batch may mean reading a whole file without taking a row. Ctrl-C ends the
            # wait, and the pool doesn't ask this source again.
            yield WaitFor(asyncio.ensure_future(stop_signal.wait(batch.ready)))
        # Read the next batch while this one is worked on: then it is usually ready in time.
        following = None if batch.is_last else _Batch(items)
        yield from batch.items
        if batch.error is not None:
            raise batch.error
        if following is None:
            return
        batch = following


class _Batch(Generic[Item]):
    """The next items of an iterator, which a thread reads, and the error that ended it, if any."""

    def __init__(self, items: Iterator[Item]) -> None:
        self.items: list[Item] = []
        self.error: BaseException | None = None
        self.is_last = False
        self.ready = _in_thread(partial(self._fill, items), "lve-rows")
        """Done when the batch is read."""

    def _fill(self, items: Iterator[Item]) -> None:
        """Take items until there are `BATCH` of them or `BATCH_S` has passed."""
        end = time.monotonic() + BATCH_S
        try:
            for item in items:
                self.items.append(item)
                if len(self.items) >= BATCH or time.monotonic() > end:
                    return
        except BaseException as error:  # raised again in the loop's thread
            self.error = error
        self.is_last = True


def _in_thread(work: Callable[[], None], name: str) -> asyncio.Future[None]:
    """Start a thread that does the work, and return a future that is done when the thread is.

    It is a daemon thread, so that the process can end without it: Ctrl-C must not wait for a row or
    for half a minute of computing.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def run() -> None:
        work()
        with suppress(RuntimeError):  # the session has ended, and its loop is closed
            loop.call_soon_threadsafe(resolve, done)

    threading.Thread(target=run, name=name, daemon=True).start()
    return done


async def _run_stoppable(
    work: Callable[[], Result],
    thread: Executor,
    stop_signal: StopSignal,
    stop: Callable[[], object],
) -> Result:
    """Run `work` in `thread`; call `stop` if the session is cancelled or the work takes too long
    after an interruption."""
    running = asyncio.get_running_loop().run_in_executor(thread, work)
    try:
        await _done_or_interrupted(running, stop_signal)
    except (asyncio.CancelledError, Stopped):
        stop()
        running.cancel()  # if it still waits for the thread
        # Look at its error, or asyncio would report it.
        running.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        raise
    return running.result()


async def _done_or_interrupted(running: asyncio.Future[Result], stop_signal: StopSignal) -> None:
    """Wait for a future; raise `Stopped` if it isn't done `PATIENCE_S` after an interruption."""
    stopped = asyncio.ensure_future(stop_signal.wait(asyncio.get_running_loop().create_future()))
    either: set[asyncio.Future[Any]] = {running, stopped}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if not stopped.cancel():
            stopped.exception()  # asyncio reports exceptions that nobody has looked at
    if not running.done():
        is_interrupted = stop_signal.reason == INTERRUPTED
        await asyncio.wait({running}, timeout=PATIENCE_S if is_interrupted else None)
    if not running.done():
        raise Stopped(INTERRUPTED)


_THREADS: weakref.WeakKeyDictionary[Judge, ThreadPoolExecutor] = weakref.WeakKeyDictionary()


def _thread_of(judge: Judge) -> ThreadPoolExecutor:
    """Return the judge's own thread, which ends with the judge.

    One thread is enough, because a checker judges one instance at a time. The loop's default
    threads stay free for looking up hosts, however slow the checker is.
    """
    if judge not in _THREADS:
        from concurrent.futures import ThreadPoolExecutor

        _THREADS[judge] = ThreadPoolExecutor(1, thread_name_prefix="lve-judge")
    return _THREADS[judge]


def stop_checkers() -> None:
    """End the custom checkers that run now. A signal handler may call it."""
    # Not imported here: a third Ctrl-C would find the module half loaded by the second. If it isn't
    # loaded, no checker runs.
    stop = getattr(sys.modules.get("lve.checkers.processes.judging_process"), "stop_checkers", None)
    if stop is not None:
        stop()
