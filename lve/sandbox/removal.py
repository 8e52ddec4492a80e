"""Removes folders, whatever is in them and whoever changes them meanwhile.

A path that was looked at can lead elsewhere a moment later: hostile code puts a link in the place
of a folder. So nothing here follows a path below the folder that is removed. Each folder is opened
relative to the one that it is in, never through a link, and its entries are removed relative to it.
It also takes folders of any depth, unlike recursion, and needs few open files.

All modules remove folders with this one: a test allows the functions of `os`, `shutil` and
`pathlib` only with a reason.
"""

# ruff: noqa: PTH101, PTH106

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count, islice
from pathlib import Path

LIMIT_S = 60.0
"""Seconds for removing a folder: millions of files."""
_BATCH = 4096
"""Names that are read at once: a folder may have any number."""
_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0)
_FOLDER: int = os.O_RDONLY | _NO_LINK | getattr(os, "O_CLOEXEC", 0)
_O_PATH: int = getattr(os, "O_PATH", 0)
HAS_FOLDER_HANDLES = (
    bool(_NO_LINK)
    and {os.open, os.unlink, os.rmdir, os.rename, os.stat} <= os.supports_dir_fd
    and os.scandir in os.supports_fd
)
"""Whether the system can remove files relative to an open folder (Windows can't)."""


def open_folder(path: str | os.PathLike[str]) -> int:
    """Open a folder that isn't a link, for `remove_held`. Return -1 on a system without handles of
    folders.

    Raises:
        OSError: it isn't a folder, or can't be opened.
    """
    return _opened(os.fspath(path), None) if HAS_FOLDER_HANDLES else -1


def remove_tree(path: str | os.PathLike[str], *, limit_s: float = LIMIT_S) -> bool:
    """Remove a folder and all that is in it. Links are removed, never followed.

    Args:
        path: the folder. The folders above it must not be under somebody else's control.
        limit_s: seconds after which the rest is left.

    Returns:
        Whether nothing is left. A path that is no folder, or a link to one, is left alone.
    """
    try:
        handle = open_folder(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        return remove_held(handle, path, limit_s=limit_s)
    finally:
        if handle >= 0:
            os.close(handle)


def remove_held(handle: int, path: str | os.PathLike[str], *, limit_s: float = LIMIT_S) -> bool:
    """Remove an open folder and all that is in it, as `remove_tree` does.

    If another folder is in its place by now, that one isn't touched.

    Args:
        handle: from `open_folder`; it stays open.
        path: where the folder was when it was opened.
        limit_s: seconds after which the rest is left.

    Returns:
        Whether nothing is left.
    """
    if handle < 0:
        import shutil  # late: it loads bz2 and lzma

        shutil.rmtree(path, ignore_errors=True)
        return not os.path.lexists(path)
    try:
        _unlock(handle)
        _Emptying(handle, time.monotonic() + limit_s).run()
        if os.path.samestat(os.fstat(handle), os.lstat(path)):
            os.rmdir(path)  # which removes only an empty folder
    except FileNotFoundError:
        pass
    except OSError:
        return False
    return os.fstat(handle).st_nlink == 0 or not os.path.lexists(path)


@contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """Make a temporary folder that only the user can access, and remove it after the block.

    Args:
        prefix: the beginning of its name.

    Raises:
        OSError: it can't be made.
    """
    from tempfile import mkdtemp  # late: it loads shutil

    folder = mkdtemp(prefix=prefix)
    try:
        yield Path(folder)
    finally:
        remove_tree(folder)


class _Emptying:
    """Empties a folder. What is in the folders in it is moved up before it is removed, so that
    there are never more than three open folders."""

    def __init__(self, root: int, ends: float) -> None:
        self._root = root
        self._ends = ends
        self._device = os.fstat(root).st_dev
        self._mark, self._moved = os.urandom(8).hex(), count()

    def run(self) -> None:
        for name in _names(self._root):
            if not self._unlinked(name, self._root):
                self._remove(name)

    def _remove(self, name: str) -> None:
        """Remove a folder in the root folder."""
        place = self._open(name, self._root)
        try:
            for inner in _names(place):
                if not self._unlinked(inner, place):
                    self._move_up(inner, place)
        finally:
            os.close(place)
        os.rmdir(name, dir_fd=self._root)

    def _move_up(self, name: str, place: int) -> None:
        new = f"{self._mark}-{next(self._moved)}"
        try:
            os.rename(name, new, src_dir_fd=place, dst_dir_fd=self._root)
        except PermissionError:  # moving a folder writes into it
            os.close(self._open(name, place))
            os.rename(name, new, src_dir_fd=place, dst_dir_fd=self._root)

    def _open(self, name: str, place: int) -> int:
        """Open a folder, make it readable and writable, and return its handle.

        Raises:
            OSError: it isn't a folder on the same device, or can't be opened.
        """
        handle = _opened(name, place, self._device)
        try:
            _unlock(handle)
        except BaseException:
            os.close(handle)
            raise
        return handle

    def _unlinked(self, name: str, place: int) -> bool:
        """Remove an entry unless it is a folder; return whether it isn't.

        Raises:
            TimeoutError: the time is over.
            OSError: it can't be removed.
        """
        if time.monotonic() > self._ends:
            raise TimeoutError
        try:
            os.unlink(name, dir_fd=place)
        except FileNotFoundError:
            return True
        except (IsADirectoryError, PermissionError):  # macOS has only the latter
            status = os.stat(name, dir_fd=place, follow_symlinks=False)
            if not stat.S_ISDIR(status.st_mode):
                raise
            return False
        return True


def _names(handle: int) -> Iterator[str]:
    """Yield the names in a folder until it is empty. Each must be removed before the next."""
    while True:
        with os.scandir(handle) as entries:
            names = [entry.name for entry in islice(entries, _BATCH)]
        if not names:
            return
        yield from names


def _opened(name: str, place: int | None, device: int | None = None) -> int:
    """Open a folder that isn't a link, even one that its owner may not read."""
    try:
        return _checked(os.open(name, _FOLDER, dir_fd=place), device)
    except PermissionError:
        if _O_PATH:
            return _opened_locked(name, place, device)
        if os.chmod not in os.supports_follow_symlinks:
            raise
        os.chmod(name, stat.S_IRWXU, dir_fd=place, follow_symlinks=False)
        return _checked(os.open(name, _FOLDER, dir_fd=place), device)


def _opened_locked(name: str, place: int | None, device: int | None) -> int:
    """Open a folder that its owner may not read. Linux can't change the mode of a name that may be
    a link, but of an open folder."""
    locked = _checked(os.open(name, _O_PATH | _FOLDER, dir_fd=place), device)
    try:
        os.chmod(f"/proc/self/fd/{locked}", stat.S_IRWXU)
        return os.open(".", _FOLDER, dir_fd=locked)
    finally:
        os.close(locked)


def _checked(handle: int, device: int | None) -> int:
    """Return the handle of a folder on a device, or anywhere. Others are closed.

    Raises:
        OSError: it is elsewhere: something is mounted there.
    """
    if device is None or os.fstat(handle).st_dev == device:
        return handle
    os.close(handle)
    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))


def _unlock(handle: int) -> None:
    """Let the owner of an open folder read and write it."""
    if os.fstat(handle).st_mode & stat.S_IRWXU != stat.S_IRWXU:
        with suppress(PermissionError):  # another's folder, which may be writable all the same
            os.fchmod(handle, stat.S_IRWXU)
