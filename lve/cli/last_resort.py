"""A second process that kills `lve` if Ctrl-C has no effect.

Python's signal handlers and threads must wait until a call into C returns. lve limits such calls,
but if one escapes the limits, Ctrl-C must still give the user the terminal back. So the system
passes each signal to a second process as it arrives.
"""

from __future__ import annotations

import os
import select
import signal
from typing import NoReturn

PATIENCE_S = 5.0
"""Seconds for an orderly end after the second signal, to write the end of the session. Results that
have arrived are already stored."""


def start_last_resort() -> None:
    """Start a process that kills this one if it still runs `PATIENCE_S` after its second SIGINT or
    SIGTERM. Call it before there are threads. Does nothing on Windows."""
    if not hasattr(os, "fork"):
        return
    reader, writer = os.pipe()
    try:
        pid = os.fork()
    except OSError:  # no process available: go on without it
        os.close(reader)
        os.close(writer)
        return
    if pid == 0:
        _watch(reader, os.getppid())
    os.close(reader)
    os.set_blocking(writer, False)
    # Stays open until this process ends in any way, which ends the other one.
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)


def _watch(reader: int, watched: int) -> NoReturn:
    """Run the second process."""
    try:
        os.setsid()  # out of reach of the terminal's Ctrl-C
        os.closerange(0, reader)
        os.closerange(reader + 1, reader + 256)
        if _gets_two_signals(reader) and not _ends(reader) and os.getppid() == watched:
            os.kill(watched, signal.SIGKILL)
    finally:
        os._exit(0)


def _gets_two_signals(reader: int) -> bool:
    """Wait for two signals; return False if the process ends before."""
    asked = 0
    while asked < 2:
        signals = os.read(reader, 64)
        if not signals:
            return False
        asked += sum(number in (signal.SIGINT, signal.SIGTERM) for number in signals)
    return True


def _ends(reader: int) -> bool:
    """Return whether the process ends within `PATIENCE_S` after a signal."""
    while select.select([reader], (), (), PATIENCE_S)[0]:
        if not os.read(reader, 64):
            return True
    return False
