"""A watchdog: a second process that kills `lve` if Ctrl-C has no effect.

Python runs signal handlers and other threads only after a call into C has returned. lve limits such
calls, but if one escapes the limits, Ctrl-C must still end the command. So the kernel passes each
signal to a second process as it arrives.
"""

from __future__ import annotations

import os
import select
import signal
from typing import NoReturn

GRACE_S = 5.0
"""Seconds after the second signal in which `lve` may end by itself and write the session's end.
Results that have arrived are already stored."""


def start_watchdog() -> None:
    """Start a process that kills this one if it still runs `GRACE_S` after its second SIGINT or
    SIGTERM. Call it before any thread starts. Does nothing on Windows."""
    if not hasattr(os, "fork"):
        return
    reader, writer = os.pipe()
    try:
        pid = os.fork()
    except OSError:  # too many processes: go on without a watchdog
        os.close(reader)
        os.close(writer)
        return
    if pid == 0:
        _watch(reader, os.getppid())
    os.close(reader)
    os.set_blocking(writer, False)
    # The pipe stays open until this process ends, however it ends; that ends the watchdog.
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)


def _watch(reader: int, watched: int) -> NoReturn:
    """Run the watchdog process."""
    try:
        os.setsid()  # the terminal's Ctrl-C doesn't reach it
        os.closerange(0, reader)
        os.closerange(reader + 1, reader + 256)
        if _gets_two_signals(reader) and not _ends(reader) and os.getppid() == watched:
            os.kill(watched, signal.SIGKILL)
    finally:
        os._exit(0)


def _gets_two_signals(reader: int) -> bool:
    """Return True after two signals, False if the process ends first."""
    count = 0
    while count < 2:
        signals = os.read(reader, 64)
        if not signals:
            return False
        count += sum(number in (signal.SIGINT, signal.SIGTERM) for number in signals)
    return True


def _ends(reader: int) -> bool:
    """Return whether the process ends within `GRACE_S` of a signal."""
    while select.select([reader], (), (), GRACE_S)[0]:
        if not os.read(reader, 64):
            return True
    return False
