"""Replaces files of a session atomically."""

from __future__ import annotations

from pathlib import Path

from lve.errors import SessionError
from lve.files import atomic_file
from lve.files.private import FILE_MODE


def replace_result_file(path: Path, content: bytes) -> None:
    """Write a file that only its user can read, durably. On failure the old one stays as it was.

    Raises:
        SessionError: it can't be written.
    """
    try:
        atomic_file.replace_file(path, content, mode=FILE_MODE)
    except OSError as error:
        raise SessionError(f"{path} can't be written: {error.strerror}") from error
