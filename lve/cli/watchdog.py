"""A watchdog: a second process that kills `lve` if Ctrl-C has no effect.

Python runs signal handlers and other threads only after a call into C has returned. lve limits such
calls, but if one escapes the limits, Ctrl-C must still end the command. So the kernel passes each
signal to a second process as it arrives. uvloop, which takes the signals for itself, gets them back
from there.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Coroutine
from contextlib import suppress
from typing import NoReturn, TypeVar

Result = TypeVar("Result")
GRACE_S = 5.0
"""Seconds after the second signal in which `lve` may end by itself and write the session's end.
Results that have arrived are already stored."""
_pipes: list[int] = []
"""Where the watchdog reads signals from, and where it says them again; empty without one."""


def start_watchdog() -> None:
    """Start a process that kills this one if it still runs `GRACE_S` after its second SIGINT or
    SIGTERM. Call it before any thread starts. Does nothing on Windows."""
    if not hasattr(os, "fork"):
        return
    reader, writer = os.pipe()
    heard, echo = os.pipe()
    try:
        pid = os.fork()
    except OSError:  # too many processes: go on without a watchdog
        for end in (reader, writer, heard, echo):
            os.close(end)
        return
    if pid == 0:
        _watch(reader, echo, os.getppid())
    os.close(reader)
    os.close(echo)
    os.set_blocking(writer, False)
    os.set_blocking(heard, False)
    # The pipe stays open until this process ends, however it ends; that ends the watchdog.
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    _pipes[:] = writer, heard


async def under_watchdog(work: Coroutine[object, object, Result]) -> Result:
    """Run a coroutine so that the watchdog gets the signals in every kind of event loop.

    Raises:
        Exception: as the coroutine.
    """
    if not _pipes:
        return await work
    writer, heard = _pipes
    loops_own = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    if loops_own == writer:
        return await work
    from asyncio import get_running_loop  # late: not each command has a loop

    # uvloop sleeps through signals unless something can be read
    get_running_loop().add_reader(heard, os.read, heard, 64)
    try:
        return await work
    finally:
        get_running_loop().remove_reader(heard)
        signal.set_wakeup_fd(loops_own, warn_on_full_buffer=False)


def _watch(reader: int, echo: int, watched: int) -> NoReturn:
    """Run the watchdog process."""
    try:
        os.setsid()  # the terminal's Ctrl-C doesn't reach it
        os.dup2(reader, 0)
        os.dup2(echo, 1)
        os.closerange(2, max(reader, echo) + 256)
        os.set_blocking(1, False)  # most event loops don't listen to it
        if _gets_two_signals() and not _ends() and os.getppid() == watched:
            os.kill(watched, signal.SIGKILL)
    finally:
        os._exit(0)


def _signals() -> bytes:
    """Wait for signals, and return their numbers, none if the process has ended."""
    signals = os.read(0, 64)
    with suppress(OSError):
        os.write(1, signals)
    return signals


def _gets_two_signals() -> bool:
    """Return True after two signals, False if the process ends first."""
    count = 0
    while count < 2:
        signals = _signals()
        if not signals:
            return False
        count += sum(number in (signal.SIGINT, signal.SIGTERM) for number in signals)
    return True


def _ends() -> bool:
    """Return whether the process ends within `GRACE_S` of a signal."""
    while select.select([0], (), (), GRACE_S)[0]:
        if not _signals():
            return True
    return False
