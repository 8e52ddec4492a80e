"""Opening the files of a folder that somebody else made. No other module opens files by itself.

A contributed folder may hold a link to a private file or to /dev/zero, a pipe that nobody writes
to, a file of a terabyte. What is opened here is a regular file, lies in the folder after all links
are followed, and never makes anybody wait; what is read has a limit that also holds for a file
that grows or lies about its size. Checked is the open file, not its name, so that nobody can put
something else in its place between check and use.
"""

# ruff: noqa: PTH117, PTH118, PTH208
# On the path of every test: pathlib is several times slower than os.
from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

StrPath = str | os.PathLike[str]

BLOCK_BYTES = 1 << 16

_READ = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0) | os.O_RDONLY
_STEP = _FOLDER | getattr(os, "O_PATH", 0)
"""For a folder on the way: O_PATH asks for no right to list it."""
_NO_STEPS = frozenset({"", "."})
_HAS_DRIVES = os.name == "nt"
HAS_FOLDER_HANDLES = bool(_NO_LINK) and {os.open, os.mkdir, os.unlink} <= os.supports_dir_fd
"""Whether files can be named relative to an open folder: not on Windows."""


class RefusedFileError(OSError):
    """A file or folder that is there and is not opened. `strerror` says what it is."""

    def __init__(self, reason: str, path: StrPath) -> None:
        super().__init__(errno.EPERM, reason, os.fspath(path))
        self.reason = reason


class OutsideError(RefusedFileError):
    """A name that leads out of its folder, by itself or through links."""

    def __init__(self, path: StrPath) -> None:
        super().__init__("outside its folder", path)


class FileTooLargeError(RefusedFileError):
    """A file that is larger than what is read of such a file."""

    def __init__(self, max_bytes: int, path: StrPath) -> None:
        mega, rest = divmod(max_bytes, 1_000_000)
        super().__init__(
            f"larger than {max_bytes:,} bytes" if rest else f"larger than {mega} MB", path
        )


def open_regular(path: StrPath) -> BinaryIO:
    """Open a regular file that the user or the system names, through links or not.

    Raises:
        OSError: it can't be opened, or (RefusedFileError) is a device, a pipe or a socket.
    """
    return os.fdopen(_regular(_open(path, _READ), path), "rb")


def open_inside(folder: StrPath, name: StrPath) -> BinaryIO:
    """Open a regular file of a folder. Links are followed as long as they stay inside.

    Args:
        folder: may itself be reached through links.
        name: relative to the folder, or a path that begins with it.

    Raises:
        OSError: it can't be opened, or (RefusedFileError) is a device, a pipe or a socket, or
            (OutsideError) outside the folder.
    """
    return os.fdopen(_file_inside(folder, name), "rb")


def read_regular(path: StrPath, max_bytes: int) -> bytes:
    """Return the content of a file as `open_regular` opens it.

    Raises:
        OSError: as `open_regular`.
        FileTooLargeError: it has more than `max_bytes`.
    """
    return read_handle(_regular(_open(path, _READ), path), path, max_bytes)


def read_inside(folder: StrPath, name: StrPath, max_bytes: int) -> bytes:
    """Return the content of a file as `open_inside` opens it.

    Raises:
        OSError: as `open_inside`.
        FileTooLargeError: it has more than `max_bytes`.
    """
    return read_handle(_file_inside(folder, name), name, max_bytes)


def check_inside(folder: StrPath, name: StrPath) -> None:
    """Open a file as `open_inside` does, and close it.

    Raises:
        OSError: as `open_inside`.
    """
    os.close(_file_inside(folder, name))


def list_inside(folder: StrPath, name: StrPath = ".") -> list[str]:
    """Return the sorted names of what a folder inside a folder holds.

    Raises:
        OSError: it can't be listed, or (OutsideError) is outside.
    """
    if not HAS_FOLDER_HANDLES:
        return sorted(
            os.listdir(_resolved(folder, _relative(os.fspath(folder), os.fspath(name)))[1])
        )
    handle = _inside(folder, name, _FOLDER)
    try:
        return sorted(os.listdir(handle))
    finally:
        os.close(handle)


@contextmanager
def folder_inside(folder: StrPath, name: StrPath) -> Iterator[int]:
    """Open a folder inside a folder, as what files in it are named relative to.

    Raises:
        OSError: it can't be opened, or (OutsideError) is outside.
    """
    handle = _inside(folder, name, _STEP)
    try:
        yield handle
    finally:
        os.close(handle)


def _file_inside(folder: StrPath, name: StrPath) -> int:
    return _regular(_inside(folder, name, _READ), name)


def _inside(folder: StrPath, name: StrPath, flags: int) -> int:
    home = os.fspath(folder)
    below = _relative(home, os.fspath(name))
    if not HAS_FOLDER_HANDLES:
        return _open_resolved(home, below, flags)
    steps = below.split("/")
    if not _NO_STEPS.isdisjoint(steps):
        steps = [step for step in steps if step not in _NO_STEPS]
    if ".." not in steps:
        try:
            return _walk(home, steps, flags)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
                raise
    # A link is in the way. What it leads to is walked to without following any: if somebody
    # exchanges a step meanwhile, that fails.
    home, real = _resolved(home, below)
    return _walk(home, [step for step in _relative(home, real).split("/") if step], flags)


def _relative(home: str, name: str) -> str:
    """Return a name relative to a folder, if it is a path that begins with it.

    Raises:
        OutsideError: it is an absolute path that doesn't.
    """
    if name == home:
        return ""
    start = home if not home or home.endswith(os.sep) else home + os.sep
    below = name[len(start) :] if name.startswith(start) else name
    if below.startswith("/") or (_HAS_DRIVES and os.path.isabs(below)):
        raise OutsideError(name)
    return below


def _walk(folder: str, steps: list[str], flags: int) -> int:
    """Open what lies at the end of some steps, none of which may be a link."""
    if not steps:
        return _open(folder, flags)
    first, last = (f"{folder}/{steps[0]}" if folder else steps[0]), len(steps) - 1
    # O_NOFOLLOW is about the last step of a path: the first one of ours.
    handle = _open(first, (_STEP if last else flags) | _NO_LINK)
    for number in range(1, last + 1):
        try:
            below = _open(
                steps[number], (_STEP if number < last else flags) | _NO_LINK, dir_fd=handle
            )
        finally:
            os.close(handle)
        handle = below
    return handle


def _open(path: StrPath, flags: int, *, dir_fd: int | None = None) -> int:
    try:
        return os.open(path, flags, dir_fd=dir_fd)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            raise RefusedFileError("not a regular file", path) from error
        raise
    except ValueError as error:  # a NUL character
        raise RefusedFileError("not a file name", path) from error


def _resolved(folder: StrPath, name: str) -> tuple[str, str]:
    """Return where a folder and a file in it really are.

    Raises:
        OutsideError: the file is outside.
    """
    home = os.path.realpath(folder)
    real = os.path.realpath(os.path.join(folder, name))
    if real != home and not real.startswith(os.path.join(home, "")):
        raise OutsideError(name)
    return home, real


def _open_resolved(folder: StrPath, name: str, flags: int) -> int:
    """Open a file where the system can't walk without following links: resolved before, and the
    opened file compared with the one that the name then still has."""
    _, real = _resolved(folder, name)
    handle = _open(real, flags)
    try:
        is_same = os.path.samestat(os.fstat(handle), os.stat(real))  # noqa: PTH116
        if _resolved(folder, name)[1] != real or not is_same:
            raise RefusedFileError("exchanged while it was opened", name)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _regular(handle: int, path: StrPath) -> int:
    """Return the handle of a regular file; close any other.

    Raises:
        OSError: it is none.
    """
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return handle
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    raise RefusedFileError("not a regular file", path)


def read_handle(handle: int, path: StrPath, max_bytes: int) -> bytes:
    """Read an open file to its end, but never more than one byte too many, and close it.

    Raises:
        FileTooLargeError: it has more than `max_bytes`.
    """
    try:
        content = os.read(handle, min(max_bytes + 1, BLOCK_BYTES))
        parts, size = [content], len(content)
        # What is large is said before it is read; but /proc says 0, and a file may grow.
        if size == BLOCK_BYTES and os.fstat(handle).st_size > max_bytes:
            raise FileTooLargeError(max_bytes, path)
        while content and size <= max_bytes:
            content = os.read(handle, min(max_bytes + 1 - size, max(size, BLOCK_BYTES)))
            parts.append(content)
            size += len(content)
    finally:
        os.close(handle)
    if size > max_bytes:
        raise FileTooLargeError(max_bytes, path)
    return parts[0] if len(parts) <= 2 else b"".join(parts)


def is_missing(error: OSError) -> bool:
    """Whether a file isn't there at all, or a step on the way to it is no folder."""
    return error.errno in (errno.ENOENT, errno.ENOTDIR)
