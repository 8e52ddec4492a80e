"""Folders and files that only their user may see: sessions and cache.

What models answered may be anything, and a session's file says what `--resume` does. So these are
made for the user alone, whatever the umask, and are only used when they are the user's own and
stand where they seem to: never behind a link, which somebody's folder or archive may hold.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from lve.files.inside import RefusedFileError, read_handle

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_OTHERS = 0o077
_FLAGS = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)


def make_private_folder(path: Path, *, exist_ok: bool = True) -> None:
    """Make a folder for its user alone; one that is there becomes that.

    Args:
        path: the folder. Those above it are made as usual.
        exist_ok: whether it may be there.

    Raises:
        OSError: it can't be made, or is there and mustn't be; (RefusedFileError) a link or another
            user's is there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.mkdir(FOLDER_MODE)
    except FileExistsError:
        if not exist_ok:
            raise
    found = check_private_folder(path)
    if os.name == "posix" and stat.S_IMODE(found.st_mode) & (_OTHERS | FOLDER_MODE) != FOLDER_MODE:
        path.chmod(FOLDER_MODE)  # of an older lve, or the umask is unusual


def check_private_folder(path: Path) -> os.stat_result:
    """Return the state of a folder of the user's own.

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
    """Open a file of the user's own, and make sure that nobody else may.

    Args:
        path: the file.
        flags: as of `os.open`. A file that is made is the user's alone.

    Raises:
        OSError: it can't be opened; (RefusedFileError) it is a link, no regular file, or another
            user's.
    """
    with suppress(FileNotFoundError):
        _refuse_special(path.lstat(), path)  # opening a pipe or a device may do something
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
    """Refuse what a library would open by its name: a link, a pipe, another user's file. For files
    that mustn't be opened to be looked at, in a private folder.

    Raises:
        OSError: as `open_private`; not where there is no such file.
    """
    with suppress(FileNotFoundError):  # or taken away by another process meanwhile
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
