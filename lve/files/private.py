"""Folders and files that only the user may read and write: sessions and cache.

Answers may hold anything, and a session's file decides what `--resume` does. So they are made for
the user alone, whatever the umask, and are used only if they belong to the user and aren't behind a
link, which a contributed folder or an archive may hold.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from lve.files.inside import RefusedFileError, open_flags, read_handle

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_OTHERS = 0o077
_FLAGS = open_flags("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY")


def make_private_folder(path: Path, *, exist_ok: bool = True) -> None:
    """Make a folder for the user alone; one that exists is restricted to the user.

    Args:
        path: the folder. Folders above it are made with the usual permissions.
        exist_ok: whether it may exist.

    Raises:
        OSError: it can't be made, or exists and mustn't; (RefusedFileError) a link or another
            user's folder is in its place.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.mkdir(FOLDER_MODE)
    except FileExistsError:
        if not exist_ok:
            raise
    found = check_private_folder(path)
    if os.name == "posix" and stat.S_IMODE(found.st_mode) & (_OTHERS | FOLDER_MODE) != FOLDER_MODE:
        path.chmod(FOLDER_MODE)  # made by an older lve, or under an unusual umask


def check_private_folder(path: Path) -> os.stat_result:
    """Check that a folder is the user's own; return its `stat`.

    Raises:
        OSError: there is none; (RefusedFileError) it is a link or another user's.
    """
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise RefusedFileError("a link, and what is behind it may be anybody's", path)
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(path))
    _refuse_foreign(found, path)
    return found


def open_private(path: Path, flags: int) -> int:
    """Open a file of the user's own and restrict it to the user.

    Args:
        path: the file.
        flags: those of `os.open`.

    Raises:
        OSError: it can't be opened; (RefusedFileError) it is a link, no regular file, or another
            user's.
    """
    with suppress(FileNotFoundError):
        _refuse_special(path.lstat(), path)  # opening a pipe or a device may have effects
    handle = os.open(path, flags | _FLAGS, FILE_MODE)
    try:
        found = os.fstat(handle)
        _refuse_special(found, path)
        if os.name == "posix" and found.st_mode & _OTHERS:
            os.fchmod(handle, FILE_MODE)
    except BaseException:
        os.close(handle)
        raise
    return handle


def read_private(path: Path, max_bytes: int) -> bytes:
    """Return the content of a file of the user's own.

    Raises:
        OSError: as `open_private`; (FileTooLargeError) it has more than `max_bytes`.
    """
    return read_handle(open_private(path, os.O_RDONLY), path, max_bytes)


def check_private_file(path: Path) -> None:
    """Check by its name a file in a private folder that a library will open by its name.

    Raises:
        OSError: as `open_private`; but a file that doesn't exist is fine.
    """
    with suppress(FileNotFoundError):
        found = path.lstat()
        _refuse_special(found, path)
        if os.name == "posix" and found.st_mode & _OTHERS:
            path.chmod(FILE_MODE)


def _refuse_special(found: os.stat_result, path: Path) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise RefusedFileError("a link, and what is behind it may be anybody's", path)
    if not stat.S_ISREG(found.st_mode):
        raise RefusedFileError("not a regular file", path)
    _refuse_foreign(found, path)


def _refuse_foreign(found: os.stat_result, path: Path) -> None:
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        raise RefusedFileError("another user's", path)
