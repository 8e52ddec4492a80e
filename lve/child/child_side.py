"""The child's side of a process that `lve.child.child_process` starts: it answers requests, and
limits its own memory. What it may do is decided before the first request."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

PR_SET_NO_NEW_PRIVS = 38  # linux/prctl.h


def serve(lifeline: int, answer: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
    """Answer requests until the input ends.

    Args:
        lifeline: a pipe whose other end only the parent has; -1 if there is none.
        answer: returns the answer to a request. It never raises.
    """
    requests, answers = _take_pipes()
    _end_with(lifeline)
    _drop_rights()
    _enter_sandbox(json.loads(requests.readline() or "null"))
    for line in requests:
        answers.write(json.dumps(answer(json.loads(line))).encode() + b"\n")
        answers.flush()


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes to and from lve, and replace stdin and stdout: what runs here reads nothing,
    and what it prints goes to stderr."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # unlike stdout, it loses nothing when the process ends suddenly
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


def _end_with(lifeline: int) -> None:
    """Have the system end this process and everything it starts when the parent is gone, whatever
    it is doing: closing the pipe sends SIGIO."""
    if lifeline < 0:
        return
    import fcntl
    import signal

    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
    flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)


def _drop_rights() -> None:
    """Write no core files, which would contain answers. On Linux, also keep programs that are
    started from here from gaining rights (sudo, for example)."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _enter_sandbox(begin: Mapping[str, Any] | None) -> None:
    """Keep this process in the sandbox that the parent's first line says, if it says one.

    Raises:
        OSError: that fails. No request may be answered.
    """
    if begin is None or begin["sandbox"] is None:
        return
    from lve.sandbox.enter import enter  # late: most processes of lve run only lve's own code
    from lve.sandbox.rights import Sandbox

    enter(Sandbox.from_json(begin["sandbox"]), begin["temporary"])


def limit_memory(more: int) -> None:
    """Limit the memory of this process, and let it write no core file, which would hold its data.

    Windows has neither limit, macOS none for memory.

    Args:
        more: bytes that the process may take on top of what it has now.
    """
    if sys.platform == "win32":
        return
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit = _own_bytes() + more
    with suppress(OSError, ValueError):  # a lower one is in force
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _own_bytes() -> int:
    """Return how much private memory the process has; 0 where the system doesn't say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
