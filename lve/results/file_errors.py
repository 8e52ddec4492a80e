"""The errors for a session's file that can't be read or written."""

from __future__ import annotations

from pathlib import Path

from lve.errors import SessionError


def cannot_read(path: Path, error: OSError) -> SessionError:
    """Return the error for a file that can't be read."""
    return SessionError(f"{path} can't be read: {error.strerror}", code="session_unreadable")


def cannot_write(path: Path, error: OSError) -> SessionError:
    """Return the error for a file that can't be written."""
    return SessionError(f"{path} can't be written: {error.strerror}", code="session_unwritable")
