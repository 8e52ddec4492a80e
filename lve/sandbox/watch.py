"""The parent process's part of a sandbox: the child's temporary folder, and limits that the system
can't enforce."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

MAX_FOLDER_BYTES = 1_000_000_000
MAX_FILES = 20_000
MAX_PROCESSES = 500


class Watch:
    """Watches what a sandboxed process writes and starts.

    Attributes:
        folder: the temporary folder, the only one that the process may write into.
        interval_s: seconds between two checks.
    """

    interval_s = 1.0

    def __init__(self) -> None:
        """Create the temporary folder.

        Raises:
            OSError: the folder can't be created.
        """
        self.folder = tempfile.mkdtemp(prefix="lve-sandbox-")
        self._running = _running()
        self._owner = os.getpid()

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables that have programs use the temporary folder."""
        return dict.fromkeys(("TMPDIR", "TMP", "TEMP"), self.folder)

    def exceeded_limit(self, group: int) -> str | None:
        """Return which limit the process has exceeded, None if none.

        Args:
            group: the id of the process group whose size is limited.
        """
        if _is_full(self.folder):
            return (
                f"filled its temporary folder with more than {MAX_FOLDER_BYTES // 10**9} GB "
                f"or {MAX_FILES:,} files"
            )
        if _running() > self._running + MAX_PROCESSES and _group_size(group) > MAX_PROCESSES:
            return f"started more than {MAX_PROCESSES} processes"
        return None

    def close(self) -> None:
        """Remove the folder. The processes that write into it must have ended."""
        if os.getpid() != self._owner:  # a fork of lve inherits this object, not the folder
            return
        with suppress(OSError):
            _remove(self.folder)


def _remove(folder: str) -> None:
    """Remove a folder and its content. Entries are moved up before they are removed, so that no
    path gets too long, however deep the folders are."""
    mark, moved = os.urandom(8).hex(), count()
    while names := os.listdir(folder):  # noqa: PTH208
        for name in names:
            place = f"{folder}/{name}"
            if not _unlocked(place):
                os.unlink(place)  # noqa: PTH108
                continue
            for inner in os.listdir(place):  # noqa: PTH208
                _unlocked(f"{place}/{inner}")
                os.rename(f"{place}/{inner}", f"{folder}/{mark}-{next(moved)}")  # noqa: PTH104
            os.rmdir(place)  # noqa: PTH106
    os.rmdir(folder)  # noqa: PTH106


def _unlocked(path: str) -> bool:
    """Return whether a path is a folder and no link. If so, make it readable and movable for its
    owner."""
    if os.path.islink(path) or not os.path.isdir(path):  # noqa: PTH112, PTH114
        return False
    os.chmod(path, 0o700)  # noqa: PTH101
    return True


def _is_full(folder: str) -> bool:
    files = taken = 0
    for size in _sizes(folder):
        files, taken = files + 1, taken + size
        if files > MAX_FILES or taken > MAX_FOLDER_BYTES:
            return True
    return False


def _sizes(folder: str) -> Iterator[int]:
    """Yield the disk usage in bytes of each entry below a folder. Links aren't followed."""
    left = [folder]
    while left:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    found = entry.stat(follow_symlinks=False)
                    yield getattr(found, "st_blocks", 0) * 512
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:  # deeper entries can't be counted
                yield MAX_FOLDER_BYTES + 1


def _running() -> int:
    """Return the number of the system's processes and threads; 0 if it doesn't tell."""
    if sys.platform != "linux":
        return 0
    try:
        loadavg = Path("/proc/loadavg").read_text(encoding="ascii")
        return int(loadavg.split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def _group_size(group: int) -> int:
    found = 0
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                stat = Path(f"/proc/{name}/stat").read_bytes()
                found += int(stat.rpartition(b")")[2].split()[2]) == group
    return found
