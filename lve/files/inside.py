"""Opens files in contributed folders. All other modules open such files through this one.

A contributed folder may contain a link to a private file or to /dev/zero, a pipe without a writer,
or a file of a terabyte. The functions here never block, and only open regular files that are in the
folder after all links are followed. Reading has a size limit, which also holds for files that grow
or report a wrong size. The checks are made on the open file rather than on its name, so that it
can't be replaced between check and use.
"""

# ruff: noqa: PTH117, PTH118, PTH208
# Runs for every test: pathlib is several times slower than os.
from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

StrPath = str | os.PathLike[str]

BLOCK_BYTES = 1 << 16
DOCUMENT_BYTES = 1_000_000
"""The largest document that is read: a test, settings, a prompt, code, a page of a test."""
WHOLE_BYTES = 64_000_000
"""The largest other file, and output of a command, that is read as a whole: a `session.json` with
100,000 tests, a baseline of 600,000 instances, half a million branches and tags of git."""


def open_flags(*names: str) -> int:
    """Return the combined flags of `os.open` with these names. Those that the system doesn't have
    are ignored."""
    flags = 0
    for name in names:
        flags |= getattr(os, name, 0)
    return flags


_READ = open_flags("O_RDONLY", "O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK")
_NO_LINK = open_flags("O_NOFOLLOW")
_FOLDER = open_flags("O_RDONLY", "O_DIRECTORY", "O_CLOEXEC")
_STEP = _FOLDER | open_flags("O_PATH")
"""Flags for a folder on the way to a file: O_PATH works without permission to list it."""
_NO_STEPS = frozenset({"", "."})
_HAS_DRIVES = os.name == "nt"
HAS_FOLDER_HANDLES = bool(_NO_LINK) and {os.open, os.mkdir, os.unlink} <= os.supports_dir_fd
"""Whether the system can open files relative to an open folder (Windows can't)."""


class RefusedFileError(OSError):
    """A file or folder exists, but lve refuses to open it. `strerror` is the reason: `a link`."""

    def __init__(self, reason: str, path: StrPath) -> None:
        super().__init__(errno.EPERM, reason, os.fspath(path))
        self.reason = reason


class OutsideError(RefusedFileError):
    """A name leads out of its folder, directly or through links."""

    def __init__(self, path: StrPath) -> None:
        super().__init__("outside its folder", path)


class FileTooLargeError(RefusedFileError):
    """A file is larger than the limit for its kind."""

    def __init__(self, max_bytes: int, path: StrPath) -> None:
        mega, rest = divmod(max_bytes, 1_000_000)
        super().__init__(
            f"larger than {max_bytes:,} bytes" if rest else f"larger than {mega} MB", path
        )


def open_inside(folder: StrPath, name: StrPath) -> BinaryIO:
    """Open a regular file in a folder. Links are followed as long as they stay inside.

    Args:
        folder: the folder; its own path may have links.
        name: relative to the folder, or a path that begins with it.

    Raises:
        OSError: it can't be opened; (RefusedFileError) it is a device, a pipe or a socket;
            (OutsideError) it is outside the folder.
    """
    return os.fdopen(_file_inside(folder, name), "rb")


def read_regular(path: StrPath, max_bytes: int) -> bytes:
    """Return the content of a regular file named by the user or the system. Links are followed.

    Raises:
        OSError: it can't be opened; (RefusedFileError) it is a device, a pipe or a socket.
        FileTooLargeError: it has more than `max_bytes`.
    """
    return read_handle(_regular(_open(path, _READ), path), path, max_bytes)


def read_inside(folder: StrPath, name: StrPath, max_bytes: int) -> bytes:
    """Return the content of a file that `open_inside` opens.

    Raises:
        OSError: as `open_inside`.
        FileTooLargeError: it has more than `max_bytes`.
    """
    return read_handle(_file_inside(folder, name), name, max_bytes)


def check_inside(folder: StrPath, name: StrPath) -> None:
    """Check that `open_inside` would open a file.

    Raises:
        OSError: as `open_inside`.
    """
    os.close(_file_inside(folder, name))


def list_inside(folder: StrPath, name: StrPath = ".") -> list[str]:
    """Return the sorted names of the entries of a folder inside a folder.

    Raises:
        OSError: it can't be listed; (OutsideError) it is outside.
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
    """Yield a handle of a folder inside a folder, to open files relative to it.

    Raises:
        OSError: it can't be opened; (OutsideError) it is outside.
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
    # There is a link on the way. Resolve it, then walk without following links: if a step is
    # replaced meanwhile, the walk fails.
    home, real = _resolved(home, below)
    return _walk(home, [step for step in _relative(home, real).split("/") if step], flags)


def _relative(home: str, name: str) -> str:
    """Return a name relative to the folder `home`.

    Raises:
        OutsideError: it is an absolute path outside of the folder.
    """
    if name == home:
        return ""
    start = home if not home or home.endswith(os.sep) else home + os.sep
    below = name[len(start) :] if name.startswith(start) else name
    if below.startswith("/") or (_HAS_DRIVES and os.path.isabs(below)):
        raise OutsideError(name)
    return below


def _walk(folder: str, steps: list[str], flags: int) -> int:
    """Open a path step by step. None of the steps may be a link."""
    if not steps:
        return _open(folder, flags)
    first, last = (f"{folder}/{steps[0]}" if folder else steps[0]), len(steps) - 1
    # O_NOFOLLOW only applies to the last part of a path, which is the first of `steps` here.
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
    """Return the real paths of a folder and of a file in it.

    Raises:
        OutsideError: the file is outside.
    """
    home = os.path.realpath(folder)
    real = os.path.realpath(os.path.join(folder, name))
    if real != home and not real.startswith(os.path.join(home, "")):
        raise OutsideError(name)
    return home, real


def _open_resolved(folder: StrPath, name: str, flags: int) -> int:
    """Open a file on a system without folder handles: resolve its path, open it, then check that
    the path still leads to the open file."""
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
    """Return the handle of a regular file. Other handles are closed.

    Raises:
        OSError: it isn't the handle of a regular file.
    """
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return handle
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    raise RefusedFileError("not a regular file", path)


def read_handle(handle: int, path: StrPath, max_bytes: int) -> bytes:
    """Read an open file to its end and close it. Reads at most one byte more than the limit.

    Raises:
        FileTooLargeError: it has more than `max_bytes`.
    """
    try:
        content = os.read(handle, min(max_bytes + 1, BLOCK_BYTES))
        parts, size = [content], len(content)
        # Refuse a large file early. Its size may be wrong, though: 0 in /proc, or growing.
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


def reason_of(error: OSError) -> str:
    """Return why a file can't be used, in a few words."""
    return error.strerror or type(error).__name__


def is_missing(error: OSError) -> bool:
    """Whether an error means that there is no such file."""
    return error.errno in (errno.ENOENT, errno.ENOTDIR)
