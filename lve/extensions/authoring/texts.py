"""Reads and validates text that the user gives as a file or an option."""

from __future__ import annotations

from pathlib import Path

from lve.errors import UsageError
from lve.files.inside import DOCUMENT_BYTES, read_regular, reason_of
from lve.workspace import display_path


def read_prompt(name: str) -> str:
    """Return the text of a file.

    Raises:
        UsageError: the file can't be read, or isn't UTF-8.
    """
    file = Path(name).expanduser()
    try:
        return read_regular(file, DOCUMENT_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(
            f"{display_path(file)} is not UTF-8; save it as UTF-8", code="encoding"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"{display_path(file)} can't be read: {reason}", code="unreadable"
        ) from None


def refuse_non_utf8(option: str, text: str) -> None:
    """Refuse the value of an option that isn't UTF-8; Python turns its bytes into surrogates.

    Raises:
        UsageError: `text` has surrogates.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{option} is not UTF-8", code="encoding") from None
