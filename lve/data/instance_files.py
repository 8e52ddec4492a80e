"""Finds and reads the files in `instances/`, in all formats of the original LVE repository.

Most files have one JSON object per line, whatever their ending. Others are a JSON list, or one or
more objects that each take several lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from lve.data.problems import LineProblems, json_problem
from lve.data.rows import text_places
from lve.documents.json_text import JSON_BLANKS, UnusableError, decode_json, decode_next
from lve.documents.position_types import TOO_MANY_VALUES, LineIndex, is_too_large
from lve.errors import Problem, SpecError
from lve.file_names import INSTANCE_FOLDER
from lve.files.inside import (
    WHOLE_BYTES,
    FileTooLargeError,
    is_missing,
    list_inside,
    open_inside,
    read_inside,
)
from lve.workspace import display_path

BLOCK_BYTES = 1 << 16

_BLANKS = re.compile(f"[{JSON_BLANKS}]*")
_ENDINGS = (".jsonl", ".json")
_USUAL = {"args": dict, "response": str, "passed": bool, "run_info": dict}
"""Keys of a recorded line -> the type that its schema asks for, or one of them."""


def instance_files(folder: Path, names: Sequence[str] | None = None) -> list[Path]:
    """Return the instance files of a test folder, sorted by name.

    Args:
        folder: the test folder.
        names: only return these, given as `x`, `x.jsonl` or `instances/x.jsonl`.

    Raises:
        SpecError: the folder `instances` exists but can't be read.
    """
    place = folder / INSTANCE_FOLDER
    try:
        file_names = list_inside(folder, INSTANCE_FOLDER)
    except OSError as error:
        if is_missing(error):
            return []
        reason = error.strerror or error
        raise SpecError(
            [Problem(f"can't be read: {reason}", display_path(place), code="unreadable")]
        ) from error
    files = [place / name for name in file_names if name.endswith(_ENDINGS) and name[0] != "."]
    return files if names is None else [file for file in files if is_named(file, names)]


def is_named(file: Path, names: Sequence[str]) -> bool:
    """Return whether one of `names` (the values of `--instances`) is the name of this file."""
    return any(name in (file.stem, file.name, f"{INSTANCE_FOLDER}/{file.name}") for name in names)


def has_text(file: Path, folder: Path, text: bytes) -> bool:
    """Return whether a file has a text; False if it can't be read.

    Args:
        file: the file.
        folder: the test folder; the file must be in it.
        text: what is searched.
    """
    last = b""
    try:
        with open_inside(folder, file) as stream:
            while block := stream.read(BLOCK_BYTES):
                if text in last + block:
                    return True
                last = block[1 - len(text) :]
    except OSError:  # reported when the file is read
        pass
    return False


def iter_values(file: Path, folder: Path) -> Iterator[tuple[int, Any]]:
    """Yield line and value of each entry of an instance file; the value of a bad one is a
    `Problem`.

    A file with one entry per line is streamed. Its first two lines that aren't blank decide whether
    it is such a file.

    Args:
        file: the file.
        folder: the test folder; the file must be in it.

    Raises:
        OSError: it can't be read.
    """
    lines = text_places(file, folder)
    first = list(islice(lines, 2))
    if _is_document([line for *_, line in first]):
        yield from _whole_file(file, folder)
        return
    problems = LineProblems(file)
    for number, _, _, line in chain(first, lines):
        yield number, line if isinstance(line, Problem) else problems.value(line, number)


def _is_document(first: list[str | Problem]) -> bool:
    """Return whether a file is a list, or has objects that take several lines.

    Args:
        first: its first two lines that aren't blank.
    """
    if not first or isinstance(first[0], Problem):
        return False
    start = first[0].lstrip(JSON_BLANKS)
    if start.startswith("["):
        return True
    second = first[1] if len(first) > 1 else "{"
    goes_on = isinstance(second, str) and not second.lstrip(JSON_BLANKS).startswith("{")
    return start.startswith("{") and goes_on and not _is_entry(start)


def _is_entry(line: str) -> bool:
    try:
        return isinstance(decode_json(line), dict)
    except ValueError:
        return False


def _whole_file(file: Path, folder: Path) -> Iterator[tuple[int, Any]]:
    text = _read(file, folder)
    if isinstance(text, Problem):
        yield 1, text
        return
    if is_too_large(text):
        yield (
            1,
            Problem(
                TOO_MANY_VALUES,
                display_path(file),
                1,
                hint="write one object per line",
                code="over_limit",
            ),
        )
        return
    lines = LineIndex(text)
    at = _skip(text, 0)
    in_list = text.startswith("[", at)
    at = _skip(text, at + 1) if in_list else at
    while at < len(text) and not (in_list and text[at] == "]"):
        line, _ = lines.place(at)
        try:
            value, end = decode_next(text, at)
        except UnusableError as error:
            value, end = Problem(str(error), display_path(file), line, code="syntax"), error.end
        except ValueError:
            yield line, json_problem("\n" * (line - 1) + text[at:], file)
            return
        yield line, value
        at = _skip(text, end)
        if in_list:
            if text[at : at + 1] not in (",", "]"):
                place = lines.place(at)
                yield (
                    place[0],
                    Problem("expected `,` or `]` here", display_path(file), *place, code="syntax"),
                )
                return
            at = _skip(text, at + 1) if text[at] == "," else at


def _read(file: Path, folder: Path) -> str | Problem:
    try:
        return read_inside(folder, file, WHOLE_BYTES).decode("utf-8-sig")
    except FileTooLargeError:
        size = WHOLE_BYTES // 1_000_000
        hint = "write one object per line"
        return Problem(
            f"a JSON list of more than {size} MB",
            display_path(file),
            1,
            hint=hint,
            code="over_limit",
        )
    except UnicodeDecodeError as err:
        line = err.object[: err.start].count(b"\n") + 1
        return Problem(
            "not UTF-8", display_path(file), line, hint="save it as UTF-8", code="encoding"
        )


def _skip(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def is_usual(value: object) -> bool:
    """Whether a line has only the usual keys, with valid values, as nearly all have: no library is
    loaded for these (6 MB)."""
    return (
        isinstance(value, dict)
        and "args" in value
        and [*map(type, value.values())] == [*map(_USUAL.get, value)]
    )
