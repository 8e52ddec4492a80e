"""Judging in a thread, so that the loop sees to everything else while a checker takes its time."""

from __future__ import annotations

import asyncio
import sys
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from lve.checkers.judge import Judge
from lve.execution.stop import INTERRUPTED, Stopped, StopSignal

if TYPE_CHECKING:
    from concurrent.futures import Executor, ThreadPoolExecutor

Result = TypeVar("Result")
PATIENCE_S = 0.5
"""Seconds that a judgement may still take once the user has interrupted the session."""


async def judged_aside(judge: Judge, work: Callable[[], Result], stop_signal: StopSignal) -> Result:
    """Return what work gives that uses a judge and may take long.

    Raises:
        CancelledError: the session gives up; so the checkers are stopped.
        Stopped: the user has interrupted the session, and the checkers take too long. Nothing is
            lost: the answer is in the cache.
    """
    judging = asyncio.get_running_loop().run_in_executor(_thread_of(judge), work)
    try:
        await _patiently(judging, stop_signal)
    except (asyncio.CancelledError, Stopped):
        judge.stop()
        _give_up(judging)
        raise
    return judging.result()


async def made_aside(
    make: Callable[[], Result], thread: Executor, stop_signal: StopSignal
) -> Result:
    """Return what is made in a thread that may have to wait for a checker's process to start.

    Raises:
        CancelledError: the session gives up; so the processes are stopped.
        Stopped: the user has interrupted the session, and it takes too long.
    """
    making = asyncio.get_running_loop().run_in_executor(thread, make)
    try:
        await _patiently(making, stop_signal)
    except (asyncio.CancelledError, Stopped):
        stop_checkers()
        _give_up(making)
        raise
    return making.result()


async def computed_aside(work: Callable[[], Result], stop_signal: StopSignal) -> Result:
    """Return what a long computation gives.

    Raises:
        Stopped: the session is or was stopped. The computation goes on, but nobody waits for it.
    """
    stop_signal.check()
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    outcome: Future[Result] = Future()

    def compute() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # raised where the result is waited for
            outcome.set_exception(error)
        with suppress(RuntimeError):  # the session has ended, and its loop is closed
            loop.call_soon_threadsafe(_settle, done)

    # A thread that nobody waits for at the end: Ctrl-C must not wait for half a minute's numbers.
    threading.Thread(target=compute, name="lve-compute", daemon=True).start()
    await stop_signal.wait(done)
    return outcome.result()


def _settle(done: asyncio.Future[None]) -> None:
    if not done.done():
        done.set_result(None)


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
