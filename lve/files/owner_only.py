"""Folders and files that only the user may read and write: sessions and the cache.

Answers may be confidential, and a session's file decides what `--resume` does. So these files are
private whatever the umask, and they are used only if they belong to the user and aren't links. (A
contributed folder or an archive may contain links.)
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
    """Make a folder that only the user can access. An existing folder gets these permissions, too.

    Args:
        path: the folder. Folders above it are made with the usual permissions.
        exist_ok: whether the folder may already exist.

    Raises:
        OSError: it can't be made, or exists although it must not; (RefusedFileError) it is a link
            or another user's folder.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.mkdir(FOLDER_MODE)
    except FileExistsError:
        if not exist_ok:
            raise
    status = check_private_folder(path)
    if os.name == "posix" and stat.S_IMODE(status.st_mode) & (_OTHERS | FOLDER_MODE) != FOLDER_MODE:
        path.chmod(FOLDER_MODE)  # made by an older lve, or under an unusual umask


def check_private_folder(path: Path) -> os.stat_result:
    """Check that a folder is the user's own, and return its `stat`.

    Raises:
        OSError: there is no such folder; (RefusedFileError) it is a link or another user's.
    """
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise RefusedFileError("a link, and what is behind it may be anybody's", path)
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(path))
    _refuse_foreign(status, path)
    return status


def open_private(path: Path, flags: int) -> int:
    """Open a file of the user's own, and make it accessible to the user only.

    Args:
        path: the file.
        flags: the flags of `os.open`.

    Raises:
        OSError: it can't be opened; (RefusedFileError) it is a link, another user's, or not a
            regular file.
    """
    with suppress(FileNotFoundError):
        _refuse_special(path.lstat(), path)  # opening a pipe or a device may have side effects
    handle = os.open(path, flags | _FLAGS, FILE_MODE)
    try:
        status = os.fstat(handle)
        _refuse_special(status, path)
        if os.name == "posix" and status.st_mode & _OTHERS:
            os.fchmod(handle, FILE_MODE)
    except BaseException:
        os.close(handle)
        raise
    return handle


def read_private(path: Path, max_bytes: int) -> bytes:
    """Return the content of a file of the user's own.

    Raises:
        OSError: as `open_private`; (FileTooLargeError) it is larger than `max_bytes`.
    """
    return read_handle(open_private(path, os.O_RDONLY), path, max_bytes)


def check_private_file(path: Path) -> None:
    """Do the checks of `open_private` for a file that a library will open, which needs its name.

    The file may be missing. It must be in a private folder, where it can't be replaced by others.

    Raises:
        OSError: as `open_private`.
    """
    with suppress(FileNotFoundError):
        status = path.lstat()
        _refuse_special(status, path)
        if os.name == "posix" and status.st_mode & _OTHERS:
            path.chmod(FILE_MODE)


def _refuse_special(status: os.stat_result, path: Path) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise RefusedFileError("a link, and what is behind it may be anybody's", path)
    if not stat.S_ISREG(status.st_mode):
        raise RefusedFileError("not a regular file", path)
    _refuse_foreign(status, path)


def _refuse_foreign(status: os.stat_result, path: Path) -> None:
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        raise RefusedFileError("another user's", path)
