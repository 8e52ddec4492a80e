"""Replacing a file of results at once: of a session, or recorded instances."""

from __future__ import annotations

from pathlib import Path

from lve import atomic_file
from lve.errors import SessionError


def replace_result_file(path: Path, content: bytes) -> None:
    """Write a file, durably; on failure the old one stays as it was.

    Raises:
        SessionError: it can't be written.
    """
    try:
        atomic_file.replace_file(path, content)
    except OSError as error:
        raise SessionError(f"{path} can't be written: {error.strerror}") from error
