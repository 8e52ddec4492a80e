"""Reads a whole text file: a document, a prompt."""

from __future__ import annotations

from pathlib import Path

from lve.errors import Problem, SpecError
from lve.files.inside import FileTooLargeError, read_inside, reason_of
from lve.workspace import display_path


def read_text(
    path: Path,
    shown: Path | None = None,
    *,
    folder: Path,
    max_bytes: int,
    hint: str | None = None,
) -> str:
    """Return the text of a UTF-8 file, with or without a byte order mark.

    Args:
        path: the file.
        shown: its name in messages; by default `display_path(path)`.
        folder: the folder that it must be in after links are followed.
        max_bytes: largest file that is read.
        hint: what to do about a larger one.

    Raises:
        SpecError: it can't be read, is outside the folder, isn't a regular file, is too large or
            not UTF-8.
    """
    try:
        return read_inside(folder, path, max_bytes).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        shown = display_path(path) if shown is None else shown
        raise SpecError([_problem(error, shown, hint)]) from error


def _problem(error: OSError | UnicodeDecodeError, shown: Path, hint: str | None) -> Problem:
    if isinstance(error, FileTooLargeError):
        return Problem(error.reason, shown, hint=hint)
    if isinstance(error, OSError):
        return Problem(f"can't be read: {reason_of(error)}", shown)
    before = error.object[: error.start].decode("utf-8-sig", "replace")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return Problem("not UTF-8", shown, line, column, hint="save it as UTF-8")
