"""Locks of the folder that the cache's file is in."""

from __future__ import annotations

import errno
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from lve.files.owner_only import open_private

OPEN_TIMEOUT_S = 20.0
NO_LOCKS = "its file system has no locks; --session-dir names a folder on another one"


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Context manager that lets only one process at a time open, create or rename the cache file.

    SQLite finds the write-ahead log by its name, and removes one beside an empty database. So a
    process that opens the file while another one creates or renames it could remove that one's log.
    On Windows this does nothing.

    Raises:
        OSError: other processes have held the lock for more than `OPEN_TIMEOUT_S`, or the file
            system has no locks.
    """
    require_locks(path.parent)
    folder = os.open(path.parent, os.O_RDONLY) if os.name == "posix" else None
    try:
        if folder is not None:
            _lock(folder)
        yield
    finally:
        if folder is not None:
            os.close(folder)


def _lock(folder: int) -> None:
    from fcntl import LOCK_EX, LOCK_NB, flock

    deadline = time.monotonic() + OPEN_TIMEOUT_S
    while True:
        try:
            return flock(folder, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError(errno.ETIMEDOUT, "another process is opening it") from None
            time.sleep(random.uniform(0.001, 0.005))
        except OSError:  # it has those that SQLite needs, but not these
            return None


@cache
def require_locks(folder: Path) -> None:
    """Check that files in a folder can be locked, as SQLite does. SQLite itself takes a missing
    lock for another process's, and waits for it.

    Raises:
        OSError: they can't.
    """
    if os.name != "posix" or not os.access(folder, os.W_OK):
        return
    from fcntl import LOCK_NB, LOCK_SH, lockf

    probe = folder / f".locks-{os.getpid()}-{random.randrange(16**6):06x}"
    try:
        handle = open_private(probe, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    except OSError:  # what opens the cache tells why
        return
    try:
        lockf(handle, LOCK_SH | LOCK_NB)
    except OSError as error:
        if error.errno in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
            raise OSError(error.errno, NO_LOCKS) from None
    finally:
        os.close(handle)
        probe.unlink()
