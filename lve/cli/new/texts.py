"""Texts that a user gives: typed ones, and files."""

from __future__ import annotations

from pathlib import Path

from lve.errors import UsageError
from lve.files.inside import read_regular, reason_of
from lve.workspace import display_path

MAX_PROMPT_BYTES = 1_000_000


def read_prompt(name: str) -> str:
    """Return the text of a file.

    Raises:
        UsageError: it can't be read, or is no text.
    """
    file = Path(name).expanduser()
    try:
        return read_regular(file, MAX_PROMPT_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(
            f"{display_path(file)} is not UTF-8; save it as UTF-8", code="encoding"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"{display_path(file)} can't be read: {reason}", code="unreadable"
        ) from None


def refuse_no_text(option: str, text: str) -> None:
    """Refuse bytes that are no UTF-8: Python makes half characters of them.

    Raises:
        UsageError: the text has some.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{option} is not UTF-8", code="encoding") from None
