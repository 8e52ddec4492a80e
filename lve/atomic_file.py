"""Replacing a file at once: a reader sees the old content or the new one, never half of it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Write a file, durably; on failure the old one stays as it was. Its folder is made.

    Raises:
        OSError: it can't be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with draft_of(path, content) as draft:
        draft.replace(path)


@contextmanager
def draft_of(path: Path, content: bytes) -> Iterator[Path]:
    """Write what a file will be to a file beside it, durably, and give that.

    Args:
        path: the file. Its folder is there.
        content: of the draft, which is removed at the end if it hasn't been renamed.

    Raises:
        OSError: it can't be written, or it is a device or a pipe, which a rename would
            replace.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    draft = path.with_name(f".draft-{os.urandom(8).hex()}")
    try:
        # "x": nobody else's file or link is written to, several writers don't share a draft.
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield draft
    finally:
        draft.unlink(missing_ok=True)
