"""A run on a cluster from Python: it happens in a child, because Ray ends the process that uses it,
without a word, if its raylet or an agent dies. Here that is an error like others.

The child has a child of its own, which uses Ray (`lve.extensions.ray.driver`): only what that one
has left behind is ended, and no process that the caller's program has started.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from lve.errors import SessionError
from lve.execution.event_loop import run_in_loop
from lve.exit_code import ExitCode
from lve.extensions.ray import driver
from lve.pipeline.result import RunResult

GRACE_S = 2.0
"""Seconds that a run has to end after Ctrl-C, which a terminal sends to all processes; then it gets
a signal of its own."""
Warn = Callable[[str], None]
Execute = Callable[[Warn], Coroutine[Any, Any, RunResult]]


async def result_of_child(execute: Execute, warn: Warn) -> RunResult:
    """Run tests on a cluster in a child process, and return what came out. They run here if the
    caller is connected to Ray already, or without Linux's means.

    Args:
        execute: runs the tests; it gets what is called with each warning.
        warn: called with each warning.

    Raises:
        SessionError: Ray has ended the run, or the child was killed.
        Exception: as `execute`.
    """
    ray = sys.modules.get("ray")
    if sys.platform != "linux" or (ray is not None and ray.is_initialized()):
        return await execute(warn)
    reader, writer = Pipe(duplex=False)
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _in_child(execute, reader, writer)
    writer.close()
    following = asyncio.ensure_future(_follow(reader, warn))
    try:
        outcome = await asyncio.shield(following)
    except BaseException:
        await asyncio.wait({following}, timeout=GRACE_S)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGINT)
        await asyncio.wait({following})
        raise
    finally:
        await asyncio.to_thread(os.waitpid, child, 0)
    if isinstance(outcome, RunResult):
        return outcome
    raise outcome or SessionError("the process that ran the tests on Ray was killed", code="ray")


async def _follow(reader: Connection, warn: Warn) -> RunResult | BaseException | None:
    """Give the child's warnings, and return what it sends last, or Ray's end of it."""
    outcome = None
    while True:
        try:
            kind, value = await asyncio.to_thread(reader.recv)
        except EOFError:
            reader.close()
            return outcome
        if kind == "warning":
            warn(value)
        else:
            outcome = value


def _in_child(execute: Execute, reader: Connection, writer: Connection) -> None:
    """Run the tests in a child of this one; ends both processes."""
    code: int = ExitCode.errors
    try:
        reader.close()
        driver.end_with_parent()
        # Those of the caller's event loop would stop that one.
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = driver.in_child(
            lambda: _work(execute, writer),
            tell=lambda: writer.send(("outcome", SessionError(driver.ENDED, code="ray"))),
        )
    finally:
        os._exit(code)


def _work(execute: Execute, writer: Connection) -> int:
    """Run the tests, and send what comes out."""
    outcome: object
    try:
        outcome = run_in_loop(execute(lambda text: writer.send(("warning", text))))
    except BaseException as error:
        outcome = error
    writer.send(("outcome", outcome))
    return ExitCode.as_expected
