"""Replaces files atomically: readers see the old content or the new, never a part of it."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from lve.errors import UsageError
from lve.files.abandoned import DRAFT, remove_abandoned
from lve.files.inside import (
    HAS_FOLDER_HANDLES,
    FileTooLargeError,
    RefusedFileError,
    folder_inside,
    open_flags,
    reason_of,
)

SHARED_MODE = 0o666
"""Permissions of files that others may read, before the user's umask."""
BLOCK_BYTES = 1 << 20
MAX_WAIT_S = 20.0
"""Seconds to wait for another process that writes in the same folder."""
WAIT_S = 0.02
_NEW = open_flags("O_RDWR", "O_CREAT", "O_EXCL", "O_BINARY", "O_CLOEXEC", "O_NOFOLLOW")
_OLD = open_flags("O_RDONLY", "O_BINARY", "O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK")


def replace_file(path: Path, content: bytes | Iterable[bytes], *, mode: int = SHARED_MODE) -> None:
    """Write a file durably. If that fails, the old file is kept. Makes the folder if needed.

    Args:
        path: the file.
        content: the new content, whole or in parts.
        mode: permissions before the umask.

    Raises:
        OSError: the file can't be written.
    """
    if path.is_dir():  # `.` has no name, so `with_name` would fail
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    with draft_of(path, content, mode=mode) as draft:
        draft.replace(path)


@contextmanager
def draft_of(
    path: Path, content: bytes | Iterable[bytes], *, mode: int = SHARED_MODE
) -> Iterator[Path]:
    """Write the new content of a file durably to a draft beside it, and yield the draft's path.

    The draft is removed after the block, unless the block renamed it.

    Args:
        path: the file; its folder must exist.
        content: the new content, whole or in parts.
        mode: permissions before the umask.

    Raises:
        OSError: the draft can't be written, or `path` is a device or a pipe, which renaming would
            replace.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    draft = path.with_name(_draft_name())
    try:
        parts = (content,) if isinstance(content, bytes) else content
        _write_draft(os.fspath(draft), parts, mode)
        yield draft
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a draft for writing, which replaces the file durably at the end of the block.

    If the block fails, the old file is kept and the draft is removed. Drafts of killed processes
    are removed, too.

    Args:
        path: the file; its folder must exist.

    Raises:
        OSError: as `draft_of`.
    """
    remove_abandoned(path.parent)
    with draft_of(path, b"") as draft:
        with draft.open("r+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)


def append_inside(folder: Path, name: str, content: bytes, *, max_bytes: int) -> None:
    """Append lines durably to a file in a contributed folder: all of them or none.

    The old content is kept byte for byte. If its last line has no line end, one is added.

    Args:
        folder: the folder.
        name: the file, relative to the folder: `a.jsonl`, or `b/a.jsonl` (makes `b`).
        content: the lines.
        max_bytes: maximum size of the file before appending.

    Raises:
        OSError: the file can't be written; (RefusedFileError) it is a link, isn't a regular file,
            is outside of the folder, or is too large.
    """
    _rewrite(folder, name, lambda old: _joined(old, content), max_bytes)


def replace_inside(folder: Path, name: str, content: bytes, *, max_bytes: int) -> None:
    """Write a file in a contributed folder durably. If that fails, the old file is kept.

    Args:
        folder: the folder.
        name: the file, relative to the folder: `a.json`, or `b/a.json` (makes `b`).
        content: the new content.
        max_bytes: maximum size of the old file.

    Raises:
        OSError: as `append_inside`.
    """
    _rewrite(folder, name, lambda old: (content,), max_bytes)


def _rewrite(
    folder: Path, name: str, content: Callable[[int | None], Iterable[bytes]], max_bytes: int
) -> None:
    with _folder_of(folder, name) as (dir_fd, place), _locked(dir_fd):
        old = _open_old(place, dir_fd, max_bytes)
        try:
            draft = os.path.join(os.path.dirname(place), _draft_name())  # noqa: PTH118, PTH120
            mode = SHARED_MODE if old is None else stat.S_IMODE(os.fstat(old).st_mode)
            try:
                _write_draft(draft, content(old), mode, dir_fd)
                os.replace(draft, place, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(draft, dir_fd=dir_fd)
        finally:
            if old is not None:
                os.close(old)


@contextmanager
def _folder_of(folder: Path, name: str) -> Iterator[tuple[int | None, str]]:
    """Make the folder of a file; yield the folder's handle and the file's name in it. On systems
    without folder handles, yield None and the file's path."""
    parent, _, base = name.rpartition("/")
    with suppress(FileExistsError):
        (folder / parent).mkdir()
    if HAS_FOLDER_HANDLES:
        with folder_inside(folder, parent) as handle:
            yield handle, base
    elif (folder / parent).is_symlink():
        raise RefusedFileError("a link", folder / parent)
    else:
        yield None, os.fspath(folder / name)


@contextmanager
def _locked(dir_fd: int | None) -> Iterator[None]:
    """Lock a folder during the block, because each writer copies the old content. Where folders
    can't be locked (Windows, some network disks), nothing happens.

    Raises:
        OSError: another process held the lock for too long.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    try:
        handle = os.open(".", open_flags("O_RDONLY", "O_DIRECTORY", "O_CLOEXEC"), dir_fd=dir_fd)
    except OSError:  # no permission to list it
        yield
        return
    try:
        ends = time.monotonic() + MAX_WAIT_S
        while not _lock(lambda: fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)):
            if time.monotonic() > ends:
                raise OSError(errno.EAGAIN, "another process is writing in this folder")
            time.sleep(WAIT_S)
        yield
    finally:
        os.close(handle)  # which unlocks it


def _lock(lock: Callable[[], None]) -> bool:
    """Return True if the folder is locked now or can't be locked, False if another process has the
    lock."""
    try:
        lock()
    except OSError as error:
        return error.errno not in (errno.EAGAIN, errno.EACCES)
    return True


def _open_old(place: str, dir_fd: int | None, max_bytes: int) -> int | None:
    """Open the file to append to; None if there is none."""
    try:
        status = os.stat(place, dir_fd=dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(status.st_mode):
        raise RefusedFileError("a link, and only files are written to", place)
    handle = os.open(place, _OLD, dir_fd=dir_fd)
    opened = os.fstat(handle)
    if stat.S_ISREG(opened.st_mode) and opened.st_size <= max_bytes:
        return handle
    os.close(handle)
    if stat.S_ISREG(opened.st_mode):
        raise FileTooLargeError(max_bytes, place)
    raise RefusedFileError("not a regular file", place)


def _joined(old: int | None, content: bytes) -> Iterator[bytes]:
    last = b"\n"
    while old is not None and (block := os.read(old, BLOCK_BYTES)):
        last = block[-1:]
        yield block
    yield content if last == b"\n" else b"\n" + content


def _write_draft(
    draft: str, content: Iterable[bytes], mode: int, dir_fd: int | None = None
) -> None:
    # O_EXCL: never write to an existing file or link, or to another writer's draft.
    with os.fdopen(os.open(draft, _NEW, mode, dir_fd=dir_fd), "wb") as file:
        for block in content:
            file.write(block)
        file.flush()
        os.fsync(file.fileno())


def _draft_name() -> str:
    return f"{DRAFT}{os.urandom(8).hex()}"


def unwritable(place: object, error: OSError) -> UsageError:
    """Return the error for a file or folder of the user's choice that can't be written."""
    return UsageError(f"{place} can't be written: {reason_of(error)}", code="unwritable")
