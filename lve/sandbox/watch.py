"""The parent process's part of a sandbox: the child's temporary folder, and limits that the system
can't enforce."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from lve.sandbox.removal import open_folder, remove_held
from lve.sandbox.usage import (
    Count,
    Space,
    UncountableError,
    memory_of,
    number_of_threads,
    processes_below,
    processes_of_session,
)

MAX_FOLDER_BYTES = 1_000_000_000
MAX_FILES = 20_000
MAX_PROCESSES = 500
MAX_THREADS = 5_000
SAME_MEMORY = 2
"""All processes together may take so many times the memory of a single one."""
FEW = 8
"""More processes are stopped while they are counted: a fork bomb leaves nobody else time to run."""
COUNT_S = 1.0
"""Seconds between two counts, unless the system has `_CROWD` processes more by then."""
_CROWD = 100
_STOP_S = 0.02
"""Seconds in which stopped processes finish the system calls that they are in."""


class Watch:
    """Watches what a sandboxed process writes and starts.

    Attributes:
        folder: the temporary folder, the only one that the process may write into.
        interval_s: seconds between two checks.
    """

    interval_s = 0.1

    def __init__(self, memory_bytes: int | None = None) -> None:
        """Create the temporary folder.

        Args:
            memory_bytes: the most memory of a process; None: it isn't limited.

        Raises:
            OSError: the folder can't be created.
        """
        self.folder = tempfile.mkdtemp(prefix="lve-sandbox-")
        self._handle: int | None = open_folder(self.folder)
        self._lock = threading.Lock()
        """Nothing is counted while the handle is closed: its number may be another file's then."""
        self._memory_bytes = memory_bytes
        self._running = _running()
        self._owner = os.getpid()
        self._unseen: set[int] = set()
        """The processes whose files couldn't be seen at the last check."""
        self._free = _free(self._handle)
        self._counted_at = time.monotonic()

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables that have programs use the temporary folder."""
        return dict.fromkeys(("TMPDIR", "TMP", "TEMP"), self.folder)

    def exceeded_limit(self, parent: int, group: int | None) -> str | None:
        """Return which limit the process has exceeded, None if none.

        Args:
            parent: the process that started the sandboxed ones.
            group: the process group of the sandboxed ones; None if there is none yet.
        """
        now = time.monotonic()
        is_early = now < self._counted_at + COUNT_S
        if is_early and _running() <= self._running + _CROWD:
            return None
        with self._lock:
            pids = self._processes(parent, group)
            if len(pids) > FEW and group is not None:
                return self._stopped_excess(parent, group)
            if is_early:
                return None
            self._counted_at = now
            return self._exceeded(pids, group)

    def _stopped_excess(self, parent: int, group: int) -> str | None:
        """Return which limit many processes exceed. If they do, they stay stopped until they are
        killed."""
        with suppress(OSError):
            os.killpg(group, signal.SIGSTOP)
        time.sleep(_STOP_S)
        excess = self._exceeded(self._processes(parent, group), group)
        if excess is None:
            with suppress(OSError):
                os.killpg(group, signal.SIGCONT)
        self._counted_at = time.monotonic()
        return excess

    def _exceeded(self, pids: list[int], group: int | None) -> str | None:
        if len(pids) > MAX_PROCESSES:
            return f"started more than {MAX_PROCESSES} processes"
        if number_of_threads(pids) > MAX_THREADS:
            return f"started more than {MAX_THREADS:,} threads"
        if self._is_full(pids, group):
            return (
                f"filled its temporary folder with more than {MAX_FOLDER_BYTES // 10**9} GB "
                f"or {MAX_FILES:,} files, or so that they can't be counted,"
            )
        most = None if self._memory_bytes is None else SAME_MEMORY * self._memory_bytes
        if most is not None and memory_of(pids, most) > most:
            return f"took more than {most / 10**9:g} GB of memory"
        return None

    def _processes(self, parent: int, group: int | None) -> list[int]:
        """Return the sandboxed processes, as far as the system tells: only Linux does."""
        if sys.platform != "linux" or group is None:
            return []
        pids = processes_below(parent, MAX_PROCESSES)
        # Not every kernel tells the children of a process.
        if not pids or (len(pids) <= MAX_PROCESSES and _running() > self._running + MAX_PROCESSES):
            pids = list({*pids, *processes_of_session(group)})
        return pids

    def _is_full(self, pids: list[int], group: int | None) -> bool:
        """Return whether there is more on the disk than is allowed.

        Code can hide folders from the count by moving them meanwhile. Then the disk has less space
        than the count can explain, and the code is stopped for another one.
        """
        if self._exceeds_count(pids):
            return True
        if group is None or not self._has_shrunk():
            return False
        with suppress(OSError):
            os.killpg(group, signal.SIGSTOP)
            try:
                time.sleep(_STOP_S)
                return self._exceeds_count(pids)
            finally:
                os.killpg(group, signal.SIGCONT)
        return False

    def _exceeds_count(self, pids: list[int]) -> bool:
        handle = self._handle
        if handle is None or handle < 0:  # the end has begun; no handles on this system
            return False
        count = Count(Space(MAX_FOLDER_BYTES, MAX_FILES))
        try:
            count.add_folder(handle)
            unseen = count.add_nameless_files(pids, self.folder)
        except UncountableError:
            return True
        hiding, self._unseen = self._unseen & unseen, unseen
        return count.is_exceeded or bool(hiding)

    def _has_shrunk(self) -> bool:
        """Return whether the disk has lost more space or files since the start than is allowed,
        whoever took them."""
        now = _free(self._handle)
        if now is None or self._free is None:
            return False
        return (
            self._free.size - now.size > MAX_FOLDER_BYTES
            or self._free.files - now.files > MAX_FILES
        )

    def close(self, *, remove: bool = True) -> None:
        """Remove the folder.

        Args:
            remove: whether everything that writes into it has surely ended. Otherwise it stays,
                with a warning.
        """
        if os.getpid() != self._owner:  # a fork of lve inherits this object, not the folder
            return
        with self._lock:
            handle, self._handle = self._handle, None
        if handle is None:
            return
        if not (remove and remove_held(handle, self.folder)):
            _warn(f"the temporary folder {self.folder} of a test's code can't be removed now")
        if handle >= 0:
            os.close(handle)


def _warn(text: str) -> None:
    import warnings

    with suppress(Warning):  # Python's filters may turn it into an error, but this cleans up
        warnings.warn(text, RuntimeWarning, stacklevel=2)


def _running() -> int:
    """Return the number of the system's processes and threads; 0 if it doesn't tell."""
    if sys.platform != "linux":
        return 0
    try:
        loadavg = Path("/proc/loadavg").read_text(encoding="ascii")
        return int(loadavg.split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def _free(handle: int | None) -> Space | None:
    """Return the free space and files of the disk with a folder; None if the system doesn't
    tell."""
    if handle is None or handle < 0 or not hasattr(os, "fstatvfs"):
        return None
    try:
        disk = os.fstatvfs(handle)
    except OSError:
        return None
    return Space(disk.f_bavail * disk.f_frsize, disk.f_favail)
