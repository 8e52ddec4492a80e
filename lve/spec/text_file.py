"""Reading a small text file whole: a document, a prompt."""

from __future__ import annotations

from pathlib import Path

from lve.errors import Problem, SpecError


def read_text(path: Path, shown: Path, *, max_bytes: int, hint: str | None = None) -> str:
    """Return the text of a UTF-8 file, with or without a byte order mark.

    Args:
        path: the file.
        shown: how messages name it.
        max_bytes: size of the largest one that is read; whole megabytes.
        hint: what to do about a larger one.

    Raises:
        SpecError: it can't be read, is too large, or isn't UTF-8.
    """
    try:
        with open(path, "rb") as stream:  # noqa: PTH123 - twice as fast as Path.open
            raw = stream.read(max_bytes + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SpecError([Problem(f"can't be read: {reason}", shown)]) from error
    if len(raw) > max_bytes:
        problem = Problem(f"larger than {max_bytes // 1_000_000} MB", shown, hint=hint)
        raise SpecError([problem])
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8-sig", "replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        problem = Problem("not UTF-8", shown, line, column, hint="save it as UTF-8")
        raise SpecError([problem]) from error
