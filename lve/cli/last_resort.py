"""What ends `lve` when nothing else does: a process that watches for Ctrl-C without effect.

Python's handlers, and all of its threads, wait for a call into C to return. lve bounds what it does
in its own process, but a hole in that must not leave its user with a terminal that Ctrl-C doesn't
give back. So the system tells a second process of each signal as it arrives.
"""

from __future__ import annotations

import os
import select
import signal
from typing import NoReturn

PATIENCE_S = 5.0
"""Seconds that lve has for ending in order once it was interrupted twice: for the disk, and for
what it writes of its session. What has arrived is there already."""


def start_last_resort() -> None:
    """Have this process killed when it is still there some time after its second SIGINT or SIGTERM.
    Call it before there are threads. Does nothing on Windows."""
    if not hasattr(os, "fork"):
        return
    reader, writer = os.pipe()
    try:
        pid = os.fork()
    except OSError:  # no process to be had: lve itself doesn't need one
        os.close(reader)
        os.close(writer)
        return
    if pid == 0:
        _watch(reader, os.getppid())
    os.close(reader)
    os.set_blocking(writer, False)
    # Open until this process ends, however it does: that is what ends the other one.
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)


def _watch(reader: int, watched: int) -> NoReturn:
    """Be the other process."""
    try:
        os.setsid()  # out of reach of the terminal's Ctrl-C
        os.closerange(0, reader)
        os.closerange(reader + 1, reader + 256)
        if _is_told_twice(reader) and not _ends(reader) and os.getppid() == watched:
            os.kill(watched, signal.SIGKILL)
    finally:
        os._exit(0)


def _is_told_twice(reader: int) -> bool:
    """Wait for two signals; return whether they came before the end of the process."""
    asked = 0
    while asked < 2:
        signals = os.read(reader, 64)
        if not signals:
            return False
        asked += sum(number in (signal.SIGINT, signal.SIGTERM) for number in signals)
    return True


def _ends(reader: int) -> bool:
    """Return whether the process ends while we have patience."""
    while select.select([reader], (), (), PATIENCE_S)[0]:
        if not os.read(reader, 64):
            return True
    return False
