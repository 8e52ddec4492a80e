"""Measures what the processes of a sandbox take: disk space, files, memory.

All of this is hostile, so each count is bounded, and what can't be counted is said, never left out.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from lve.named_tuples import NamedTuple
from lve.sandbox.enter import MAX_FILE_BYTES

MAX_DEPTH = 100
"""Levels of folders that are counted."""
COUNT_S = 5.0
"""Seconds of computing that a count may take."""
_LISTING: int = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


class UncountableError(Exception):
    """Something can't be counted, or takes too long to count."""


class Space(NamedTuple):
    """Space on a disk."""

    size: int
    """In bytes."""
    files: int


class Count:
    """Disk usage and number of files, counted up to their limits."""

    def __init__(self, most: Space) -> None:
        """Args:
        most: what is allowed; counting ends when there is more.
        """
        self._most = most
        self._bytes = self._files = 0
        self._ends = time.thread_time() + COUNT_S

    @property
    def is_exceeded(self) -> bool:
        """Whether there is more than is allowed."""
        return self._bytes > self._most.size or self._files > self._most.files

    def _add(self, size: int) -> None:
        self._files += 1
        self._bytes += size
        if time.thread_time() > self._ends:
            raise UncountableError

    def add_folder(self, root: int) -> None:
        """Count what is below an open folder. Links aren't followed.

        Raises:
            UncountableError: a folder can't be read or is too deep, or it takes too long.
        """
        left: list[tuple[str, ...]] = [()]
        while left and not self.is_exceeded:
            steps = left.pop()
            if len(steps) > MAX_DEPTH:
                raise UncountableError
            try:
                handle = _opened(root, steps)
            except OSError as error:
                if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):  # gone, or replaced
                    continue
                raise UncountableError from error
            try:
                left += [(*steps, name) for name in self._folders_in(handle)]
            finally:
                os.close(handle)

    def _folders_in(self, handle: int) -> Iterator[str]:
        with os.scandir(handle) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    status = entry.stat(follow_symlinks=False)
                    self._add(_disk_usage(status))
                    if stat.S_ISDIR(status.st_mode):
                        yield entry.name
                if self.is_exceeded:
                    return

    def add_nameless_files(self, pids: Iterable[int], folder: str) -> set[int]:
        """Count files that were removed, or never had a name, and that processes have open or
        mapped: disk space of the temporary folder, and memory (memfd).

        Returns:
            The processes that don't let this one see their files: they are ending, or hiding.
        """
        counted: set[tuple[int, int]] = set()
        unseen = set()
        for pid in pids:
            thread = _live_thread(pid)  # its threads have the same files: `seccomp` sees to that
            if thread is None:
                continue
            try:
                self._add_open(thread, counted)
                self._add_mapped(thread, pid, folder, counted)
            except PermissionError:
                unseen.add(pid)
            except OSError:  # it has ended
                continue
        return unseen

    def _add_open(self, thread: str, counted: set[tuple[int, int]]) -> None:
        with os.scandir(f"{thread}/fd") as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    self._add_nameless(os.stat(entry.path), counted)  # noqa: PTH116
                if self.is_exceeded:
                    return

    def _add_nameless(self, status: os.stat_result, counted: set[tuple[int, int]]) -> None:
        key = (status.st_dev, status.st_ino)
        if stat.S_ISREG(status.st_mode) and status.st_nlink == 0 and key not in counted:
            counted.add(key)
            self._add(_disk_usage(status))

    def _add_mapped(
        self, thread: str, pid: int, folder: str, counted: set[tuple[int, int]]
    ) -> None:
        """Count what is only mapped. Only some users may see how large such a file is; it counts
        as large as a file may be otherwise."""
        maps = Path(f"{thread}/maps").read_bytes()
        if b" (deleted)\n" not in maps:
            return
        beginning = os.fsencode(folder) + b"/"
        for line in maps.splitlines():
            extent, _, _, device, inode, *name = line.split(None, 5)
            if not (name and name[0].startswith(beginning) and name[0].endswith(b" (deleted)")):
                continue
            try:
                status = os.stat(f"/proc/{pid}/map_files/{extent.decode()}")  # noqa: PTH116
            except OSError:
                major, minor = (int(number, 16) for number in device.split(b":"))
                key = (os.makedev(major, minor), int(inode))
                if key not in counted:
                    counted.add(key)
                    self._add(MAX_FILE_BYTES)
            else:
                self._add_nameless(status, counted)


def _opened(root: int, steps: tuple[str, ...]) -> int:
    """Open a folder step by step, none of which may be a link."""
    handle = os.open(".", _LISTING, dir_fd=root)
    for step in steps:
        try:
            below = os.open(step, _LISTING, dir_fd=handle)
        finally:
            os.close(handle)
        handle = below
    return handle


def _disk_usage(status: os.stat_result) -> int:
    return getattr(status, "st_blocks", 0) * 512


def _live_thread(pid: int) -> str | None:
    """Return the place in /proc of a thread that hasn't ended; None if all have. The first thread
    of a process can end before the others, which still have its files and its memory."""
    with suppress(OSError):
        for name in sorted(os.listdir(f"/proc/{pid}/task"), key=int):  # noqa: PTH208
            thread = f"/proc/{pid}/task/{name}"
            with suppress(OSError, IndexError):
                state = Path(f"{thread}/stat").read_bytes().rpartition(b")")[2].split()[0]
                if state not in (b"Z", b"X"):
                    return thread
    return None


def processes_below(parent: int, most: int) -> list[int]:
    """Return the processes that a process has started, and those that these have started, until
    there are more than `most`."""
    pids, left = list[int](), [parent]
    while left and len(pids) <= most:
        children = _children(left.pop())
        pids += children
        left += children
    return pids


def _children(pid: int) -> list[int]:
    children: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            with suppress(OSError):
                words = Path(f"/proc/{pid}/task/{task}/children").read_text(encoding="ascii")
                children += [int(word) for word in words.split()]
    return children


def processes_of_session(session: int) -> list[int]:
    """Return the processes of a session, by looking at all of the system's. A sandboxed process
    can't leave its session."""
    pids = []
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                fields = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()
                if int(fields[3]) == session:
                    pids.append(int(name))
    return pids


def number_of_threads(pids: Iterable[int]) -> int:
    """Return how many threads processes have."""
    threads = 0
    for pid in pids:
        with suppress(OSError):
            threads += len(os.listdir(f"/proc/{pid}/task"))  # noqa: PTH208
    return threads


def memory_of(pids: Iterable[int], most: int) -> int:
    """Return how many bytes of memory processes take, without files; only if it may be more than
    `most`, what they share is counted once."""
    kilobytes = {
        pid: _kilobytes(f"{_live_thread(pid)}/status", ("RssAnon:", "RssShmem:")) for pid in pids
    }
    if sum(kilobytes.values()) * 1024 > most:
        for pid, resident in kilobytes.items():
            proportional = _kilobytes(f"/proc/{pid}/smaps_rollup", ("Pss_Anon:", "Pss_Shmem:"))
            kilobytes[pid] = proportional or resident
    return sum(kilobytes.values()) * 1024


def _kilobytes(file: str, names: tuple[str, ...]) -> int:
    """Return the sum of some lines of a file in /proc; 0 if there is no such file."""
    total = 0
    with suppress(OSError, ValueError, IndexError):
        for line in Path(file).read_text(encoding="latin-1").splitlines():
            if line.startswith(names):
                total += int(line.split()[1])
    return total
