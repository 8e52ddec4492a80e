"""Replacing a file at once: a reader sees the old content or the new one, never half of it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lve.files.inside import HAS_FOLDER_HANDLES, FileTooLargeError, RefusedFileError, folder_inside

SHARED_MODE = 0o666
"""For files that are meant for others, too: the user's umask decides."""
BLOCK_BYTES = 1 << 20
_NEW = (
    os.O_RDWR
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)
_OLD = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)


def replace_file(path: Path, content: bytes, *, mode: int = SHARED_MODE) -> None:
    """Write a file, durably; on failure the old one stays as it was. Its folder is made.

    Raises:
        OSError: it can't be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with draft_of(path, content, mode=mode) as draft:
        draft.replace(path)


@contextmanager
def draft_of(path: Path, content: bytes, *, mode: int = SHARED_MODE) -> Iterator[Path]:
    """Write what a file will be to a file beside it, durably, and give that.

    Args:
        path: the file. Its folder is there.
        content: of the draft, which is removed at the end if it hasn't been renamed.
        mode: of the file, without what the umask takes away.

    Raises:
        OSError: it can't be written, or it is a device or a pipe, which a rename would
            replace.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    draft = path.with_name(_draft_name())
    try:
        _write_draft(os.fspath(draft), (content,), mode)
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def append_inside(folder: Path, name: str, content: bytes, *, max_bytes: int) -> None:
    """Add lines to a file of a folder that somebody else made, durably: all of them or none.

    What the file has stays byte for byte as it is; a missing line end at its end is added.

    Args:
        folder: the folder. A folder in it on the way to the file is made.
        name: of the file, relative to the folder: `a.jsonl` or `b/a.jsonl`.
        content: the lines.
        max_bytes: size of the largest file that is added to.

    Raises:
        OSError: it can't be written; (RefusedFileError) it is a link or no regular file, leads out
            of the folder, or is too large.
    """
    with _folder_of(folder, name) as (dir_fd, place):
        old = _open_old(place, dir_fd, max_bytes)
        try:
            draft = os.path.join(os.path.dirname(place), _draft_name())  # noqa: PTH118, PTH120
            try:
                _write_draft(draft, _joined(old, content), SHARED_MODE, dir_fd)
                os.replace(draft, place, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(draft, dir_fd=dir_fd)
        finally:
            if old is not None:
                os.close(old)


@contextmanager
def _folder_of(folder: Path, name: str) -> Iterator[tuple[int | None, str]]:
    """Make the folder of a file inside a folder; give its handle, and the file's name in it. Where
    there are no handles of folders, the file's path."""
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


def _open_old(place: str, dir_fd: int | None, max_bytes: int) -> int | None:
    """Open what is there; None where nothing is."""
    try:
        found = os.stat(place, dir_fd=dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(found.st_mode):
        raise RefusedFileError("a link, and only files are written to", place)
    handle = os.open(place, _OLD, dir_fd=dir_fd)
    state = os.fstat(handle)
    if stat.S_ISREG(state.st_mode) and state.st_size <= max_bytes:
        return handle
    os.close(handle)
    if stat.S_ISREG(state.st_mode):
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
    # O_EXCL: nobody else's file or link is written to, several writers don't share a draft.
    with os.fdopen(os.open(draft, _NEW, mode, dir_fd=dir_fd), "wb") as file:
        for block in content:
            file.write(block)
        file.flush()
        os.fsync(file.fileno())


def _draft_name() -> str:
    return f".draft-{os.urandom(8).hex()}"
