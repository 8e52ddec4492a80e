"""Reads `session.json` and checks it against schemas/session.schema.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lve.documents.json_text import decode_written
from lve.documents.schema import explain_value, is_valid
from lve.errors import SessionError
from lve.files.private import read_private

VERSION = 1
SHOWN_PROBLEMS = 3
MAX_BYTES = 64_000_000
"""Size of a `session.json`: 100,000 tests."""


def read_session_file(file: Path) -> dict[str, Any]:
    """Return the content of a `session.json`.

    Raises:
        SessionError: it can't be read, is of a newer lve, or somebody damaged it.
    """
    try:
        # NaN compares as nobody expects, also with what may be spent: it is refused too.
        content = decode_written(read_private(file, MAX_BYTES).decode("utf-8"))
    except OSError as error:
        raise SessionError(f"{file} can't be read: {error.strerror}") from error
    except ValueError as error:
        raise SessionError(f"{file} can't be read: {error}") from error
    version = content.get("version") if isinstance(content, dict) else None
    if version != VERSION:
        raise SessionError(
            f"{file} has format {version!r} and this lve reads {VERSION}: use the lve that wrote it"
        )
    _refuse_damaged(file, content)
    assert isinstance(content, dict)
    return content


def _refuse_damaged(file: Path, content: Any) -> None:
    if is_valid(content, "session"):
        return
    problems = explain_value(content, "session")
    if problems:
        shown = "; ".join(problems[:SHOWN_PROBLEMS])
        more = len(problems) - SHOWN_PROBLEMS
        raise SessionError(
            f"{file} was damaged: {shown}{f'; and {more} more' if more > 0 else ''}. "
            "Correct it there, or start a new session"
        )
