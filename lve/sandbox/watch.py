"""The parent process's part of a sandbox: the child's temporary folder, and limits that the system
can't enforce."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lve.removal import open_folder, remove_held

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
        self._handle: int | None = open_folder(self.folder)
        self._running = _running()
        self._owner = os.getpid()

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables that have programs use the temporary folder."""
        return dict.fromkeys(("TMPDIR", "TMP", "TEMP"), self.folder)

    def exceeded_limit(self, group: int | None) -> str | None:
        """Return which limit the process has exceeded, None if none.

        Args:
            group: the id of the process group whose size is limited; None if there is none yet.
        """
        if _is_full(self.folder):
            return (
                f"filled its temporary folder with more than {MAX_FOLDER_BYTES // 10**9} GB "
                f"or {MAX_FILES:,} files"
            )
        is_many = _running() > self._running + MAX_PROCESSES
        if is_many and group is not None and _group_size(group) > MAX_PROCESSES:
            return f"started more than {MAX_PROCESSES} processes"
        return None

    def close(self, *, remove: bool = True) -> None:
        """Remove the folder.

        Args:
            remove: whether everything that writes into it has surely ended. Otherwise it stays,
                with a warning.
        """
        if os.getpid() != self._owner:  # a fork of lve inherits this object, not the folder
            return
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
