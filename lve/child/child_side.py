"""The child's side of a process that `lve.child.child_process` starts.

It enters the sandbox that the parent sends, then answers requests.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from lve.json_types import JsonObject, JsonValue

MESSAGES = ("error", "failed", "missing", "refused")
"""Fields of answers that have a message, of any length: that of an exception, say."""
MAX_MESSAGE = 100_000
"""The most characters of a message. The parent shows less of it."""
PR_SET_NO_NEW_PRIVS = 38  # linux/prctl.h


def serve(lifeline: int, answer: Callable[[JsonObject], dict[str, JsonValue]]) -> None:
    """Answer requests until the input ends.

    Args:
        lifeline: a pipe whose other end only the parent has; -1 if there is none.
        answer: returns the answer to a request; must not raise.
    """
    requests, answers = _take_pipes()
    begin = json.loads(requests.readline() or "null") or {}
    _drop_rights()
    if begin.get("is_supervised"):
        from lve.child.supervisor import split  # late: most processes of lve run only lve's code

        split(lifeline, (requests.fileno(), answers.fileno()), begin["temporary"])
    else:
        _end_with(lifeline)
    _enter_sandbox(begin)
    if begin.get("memory") is not None:
        limit_memory(begin["memory"])
    for line in requests:
        content = answer(json.loads(line))
        for name in MESSAGES:
            if name in content:
                content[name] = str(content[name])[:MAX_MESSAGE]
        answers.write(json.dumps(content).encode() + b"\n")
        answers.flush()


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes from and to the parent, and replace stdin and stdout: code that runs here
    reads nothing, and what it prints goes to stderr."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # unlike stdout, it loses nothing if the process is killed
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


def _end_with(lifeline: int) -> None:
    """Have the system kill this process and all that it starts when the parent ends: that closes
    the pipe, which sends SIGIO."""
    if lifeline < 0:
        return
    import fcntl
    import signal

    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
    flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)


def _drop_rights() -> None:
    """Disable core files, which would contain answers. On Linux, also keep programs that are
    started from here from gaining rights (sudo, for example)."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _enter_sandbox(begin: Mapping[str, Any]) -> None:
    """Enter the sandbox that the parent's first line describes, if any.

    Raises:
        OSError: that fails. Then no request may be answered.
    """
    if begin.get("sandbox") is None:
        return
    from lve.sandbox.enter import enter  # late, as above
    from lve.sandbox.rights import Sandbox

    enter(Sandbox.from_json(begin["sandbox"]), begin["temporary"])


def limit_memory(more: int) -> None:
    """Limit the memory of this process, and disable core files, which would contain its data.

    Windows has neither limit, and macOS has none for memory.

    Args:
        more: bytes that the process may allocate in addition to what it has now.
    """
    if sys.platform == "win32":
        return
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit = _own_bytes() + more
    with suppress(OSError, ValueError):  # a lower limit is in force
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _own_bytes() -> int:
    """Return the size of the process's private memory in bytes; 0 if the system doesn't report
    it."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
