"""The parent's part of a sandbox: the temporary folder of a process, and limits that the system
doesn't have."""

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
    """What a process in a sandbox has written and started.

    Attributes:
        folder: the only one that it may write into.
        look_s: seconds between two looks at it.
    """

    look_s = 1.0

    def __init__(self) -> None:
        """Make the folder.

        Raises:
            OSError: that fails.
        """
        self.folder = tempfile.mkdtemp(prefix="lve-sandbox-")
        self._running = _running()
        self._owner = os.getpid()

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables that tell programs to write there."""
        return dict.fromkeys(("TMPDIR", "TMP", "TEMP"), self.folder)

    def excess(self, group: int) -> str | None:
        """Return what has become too much, None if nothing has.

        Args:
            group: the number of the group of processes that may not become too many.
        """
        if _is_full(self.folder):
            return (
                f"filled its temporary folder with more than {MAX_FOLDER_BYTES // 10**9} GB "
                f"or {MAX_FILES:,} files"
            )
        if _running() > self._running + MAX_PROCESSES and _members(group) > MAX_PROCESSES:
            return f"started more than {MAX_PROCESSES} processes"
        return None

    def close(self) -> None:
        """Remove the folder. Nobody may write into it any more."""
        if os.getpid() != self._owner:  # a fork of lve inherits this object, not the folder
            return
        with suppress(OSError):
            _remove(self.folder)


def _remove(folder: str) -> None:
    """Remove a folder with all that is in it. However deep that is, no path gets long: what is in a
    folder is moved up before it is removed."""
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
    """Return whether a path is a folder, no link to one; its owner may then look into it and move
    it, whatever its mode was."""
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
    """Yield how much room everything below a folder takes. No link is followed."""
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
            if error.errno == errno.ENAMETOOLONG:  # what lies deeper can't be counted
                yield MAX_FOLDER_BYTES + 1


def _running() -> int:
    """Return how many processes and threads the system has; 0 where it doesn't say."""
    if sys.platform != "linux":
        return 0
    try:
        said = Path("/proc/loadavg").read_text(encoding="ascii")
        return int(said.split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def _members(group: int) -> int:
    """Return how many processes a group has."""
    found = 0
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                said = Path(f"/proc/{name}/stat").read_bytes()
                found += int(said.rpartition(b")")[2].split()[2]) == group
    return found
