"""What a process in which a checker judges does first: its pipes, its end, its rights."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import BinaryIO

PR_SET_NO_NEW_PRIVS = 38  # linux/prctl.h


def take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes to and from lve, out of the checker's way: it reads nothing, and what it
    prints goes to stderr."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # unlike stdout, it loses nothing when the process ends suddenly
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


def end_with(lifeline: int) -> None:
    """Have the system end this process and what it starts when the parent is gone, however that
    came and whatever the checker does then: a pipe that closes sends SIGIO."""
    if lifeline < 0:
        return
    import fcntl
    import signal

    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
    flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)


def drop_rights() -> None:
    """Write no core files, which would hold answers; and on Linux let no program that is started
    from here have more rights than this one (sudo, say)."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
