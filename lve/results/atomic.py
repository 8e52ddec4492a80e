"""Replacing a file at once: a reader sees the old content or the new one, never half of it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from lve.errors import SessionError


def replace_file(path: Path, content: bytes) -> None:
    """Write a file, durably; on failure the old one stays as it was.

    Raises:
        SessionError: it can't be written.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise SessionError(f"{path} can't be written: {error.strerror}") from error
