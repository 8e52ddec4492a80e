"""Locks the journal of a session, so that only one process writes it."""

from __future__ import annotations

import os
from pathlib import Path

from lve.errors import SessionError
from lve.files.private import open_private


def is_being_written(path: Path) -> bool:
    """Whether a process has a journal open for writing. False if that can't be found out."""
    try:
        with os.fdopen(open_private(path, os.O_RDONLY), "rb") as file:
            lock(file.fileno(), path)
    except (OSError, SessionError) as error:
        return isinstance(error, SessionError)
    return False


def lock(handle: int, path: Path) -> None:
    """Lock a journal against other processes. The lock ends with the process.

    Raises:
        SessionError: another process has locked it.
    """
    try:
        import fcntl
    except ImportError:  # Windows has no lock: a running session can be resumed there.
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SessionError(
            f"session {path.parent.name} is being run by another process; wait until it ends",
            code="busy",
        ) from None
    except OSError:  # a file system without locks
        return
