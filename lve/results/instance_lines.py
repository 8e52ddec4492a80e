"""Changes lines of a test's `instances/` files, where a row keeps its place."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from lve.documents.json_lines import redacted_json
from lve.documents.json_text import parse_json
from lve.documents.places import TextError
from lve.errors import Problem, SessionError, SpecError
from lve.files.atomic_file import replace_inside
from lve.files.inside import read_inside
from lve.redaction import Redactor
from lve.results.instance_files import MAX_FILE_BYTES, instance_line
from lve.workspace import display_path


def rewrite_instances(
    folder: Path,
    source: str,
    changes: Mapping[int, Mapping[str, Any]],
    *,
    without: Collection[str],
    redact: Redactor,
) -> None:
    """Change instances of one file, all or none.

    Args:
        folder: of the test.
        source: the file, relative to the folder.
        changes: number of the line, from 1 -> keys that it gets. Other keys keep their values.
        without: keys that these lines lose.
        redact: removes secrets from the new values.

    Raises:
        SpecError: a line isn't a whole instance.
        SessionError: the file can't be written, is a link, or is outside of the folder.
    """
    file = folder / source
    try:
        lines = read_inside(folder, source, MAX_FILE_BYTES).split(b"\n")
        for number, change in changes.items():
            raw = lines[number - 1]
            kept = _fields(raw, file, number)
            for name in without:
                kept.pop(name, None)
            new = json.loads(redacted_json(dict(change), redact, instance_line))
            lines[number - 1] = _line({**kept, **new}, like=raw)
        replace_inside(folder, source, b"\n".join(lines), max_bytes=MAX_FILE_BYTES)
    except OSError as error:
        raise SessionError(
            f"{display_path(file)} can't be written: {error.strerror}", code="unwritable"
        ) from error


def _fields(raw: bytes, file: Path, number: int) -> dict[str, Any]:
    try:
        fields = parse_json(raw.decode("utf-8-sig"))
    except (TextError, UnicodeDecodeError):
        fields = None
    if isinstance(fields, dict):
        return fields
    hint = "write one object per line, and try again"
    place = display_path(file)
    raise SpecError([Problem("can't be changed", place, number, hint=hint, code="instance")])


def _line(fields: Mapping[str, Any], *, like: bytes) -> bytes:
    """Return an instance as a line, with the line end of the old one, and as ASCII if that was."""
    try:
        line = json.dumps(fields, ensure_ascii=like.isascii()).encode()
    except UnicodeEncodeError:  # half a surrogate pair
        line = json.dumps(fields).encode()
    return line + (b"\r" if like.endswith(b"\r") else b"")
