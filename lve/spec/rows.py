"""Rows of data files, streamed: one object per row, with its line."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from lve.errors import Problem, SpecError
from lve.spec.json_text import JSON_BLANKS, STRICT_DECODER, has_lone_surrogate
from lve.workspace import display_path

MAX_LINE_BYTES = 16_000_000
"""Longest line that is read; a longer one is a problem of its own."""

_BOM = b"\xef\xbb\xbf"
_HEADER_HINT = "its first row must name the columns"
_QUOTE_HINT = 'close it; a quote within quotes is written twice: ""'


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a data file."""

    values: Mapping[str, Any]
    line: int
    """From 1."""


def iter_rows(file: Path, ending: str | None = None) -> Iterator[Row | Problem]:
    """Read a data file row by row; a bad row is a `Problem`, the others go on. That there are none
    is a problem too.

    Args:
        file: the file.
        ending: how it is read, such as `.jsonl`; by default its own ending tells.

    Raises:
        SpecError: there is no reader for files of this kind, or the file can't be read.
    """
    ending = ending or file.suffix.lower()
    reader = ROW_READERS.get(ending)
    if reader is None:
        known = ", ".join(ROW_READERS)
        message = f"a data set can't be a `{ending}` file"
        raise SpecError([Problem(message, display_path(file), hint=f"known are {known}")])
    try:
        rows = reader(file)
        yield next(rows, Problem("has no rows", display_path(file)))
        yield from rows
    except OSError as err:
        message = f"can't be read: {err.strerror or type(err).__name__}"
        raise SpecError([Problem(message, display_path(file))]) from err


def read_jsonl(file: Path) -> Iterator[Row | Problem]:
    """Read one JSON object per line. Blank lines are skipped."""
    for number, line in text_lines(file):
        if isinstance(line, Problem):
            yield line
            continue
        value = parse_line(line, file, number)
        if isinstance(value, Problem):
            yield value
        elif isinstance(value, dict):
            yield Row(value, number)
        else:
            yield Problem("a row must be an object", display_path(file), number)


def read_csv(file: Path) -> Iterator[Row | Problem]:
    """Read a CSV file whose first row names the columns. All values are texts."""
    with file.open(encoding="utf-8-sig", errors="strict", newline="") as stream:
        records = _CsvRecords(file, stream)
        try:
            header = records.next()
            if isinstance(header, Problem):
                yield header
            elif header:
                yield from _csv_rows(records, header, file)
            else:
                yield Problem("has no header", display_path(file), 1, hint=_HEADER_HINT)
        except UnicodeDecodeError:  # the decoder can't go on
            line = records.line + 1
            yield Problem("not UTF-8", display_path(file), line, hint="save it as UTF-8")


class _CsvRecords:
    """The records of a CSV file. One whose quotes are open at the end of the file is a problem:
    `csv` takes all that follows the quote for one cell and says nothing, and its `strict` refuses
    more than that."""

    def __init__(self, file: Path, stream: Iterable[str]) -> None:
        self._file = file
        self._at_end = False
        self._reader = csv.reader(chain(stream, self._note_end()))

    @property
    def line(self) -> int:
        """The last line that was read, from 1."""
        return self._reader.line_num

    def next(self) -> list[str] | Problem | None:
        """Return the cells of the next record, a problem, or None at the end."""
        line = self.line + 1
        try:
            record = next(self._reader, None)
        except csv.Error as err:
            hint = "is a quote before it never closed?" if "limit" in str(err) else None
            return Problem(f"not valid CSV: {err}", display_path(self._file), line, hint=hint)
        if record is not None and self._at_end:
            # A record ends with its line, so who asks for more lines stands within quotes.
            message = "a quote is never closed"
            return Problem(message, display_path(self._file), line, hint=_QUOTE_HINT)
        return record

    def _note_end(self) -> Iterator[str]:
        self._at_end = True
        yield from ()


def _csv_rows(records: _CsvRecords, header: list[str], file: Path) -> Iterator[Row | Problem]:
    if len(set(header)) != len(header):
        twice = next(name for name in header if header.count(name) > 1)
        yield Problem(f"the column `{twice}` is there twice", display_path(file), 1)
        return
    while True:
        line = records.line + 1
        record = records.next()
        if record is None:
            return
        if isinstance(record, Problem):
            yield record
        elif record and len(record) != len(header):
            message = f"the row has {len(record)} cells, the header {len(header)}"
            yield Problem(message, display_path(file), line)
        elif record:
            yield Row(dict(zip(header, record, strict=True)), line)


def text_lines(file: Path) -> Iterator[tuple[int, str | Problem]]:
    """Yield the lines of a UTF-8 file that aren't blank, with their numbers from 1. Only one line
    is in memory at a time."""
    with file.open("rb") as stream:
        number = 0
        while raw := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(raw) > MAX_LINE_BYTES:
                _skip_line(stream, raw)
                message = f"the line is longer than {MAX_LINE_BYTES // 1_000_000} MB"
                yield number, Problem(message, display_path(file), number)
                continue
            if number == 1 and raw.startswith(_BOM):
                raw = raw[len(_BOM) :]
            if raw.isspace():
                continue
            try:
                yield number, raw.decode("utf-8")
            except UnicodeDecodeError:
                hint = "save it as UTF-8"
                yield number, Problem("not UTF-8", display_path(file), number, hint=hint)


def _skip_line(stream: Any, read: bytes) -> None:
    while read and not read.endswith(b"\n"):
        read = stream.readline(MAX_LINE_BYTES)


def parse_line(line: str, file: Path, number: int) -> Any:
    """Return the JSON value of a line, or a `Problem`."""
    text = line.strip(JSON_BLANKS)
    try:
        value, end = STRICT_DECODER.raw_decode(text)
        if end == len(text) and not has_lone_surrogate(text, value):
            return value
    except (ValueError, RecursionError):
        pass
    return line_problem(line, file, number)


def line_problem(line: str, file: Path, number: int | None) -> Problem:
    """Return what is wrong with a JSON text that is line `number` of a file (None: that has the
    lines of the file)."""
    from lve.spec.json_text import scan_json
    from lve.spec.places import spell_path

    finding = scan_json(line).problems()[0]
    path = spell_path(finding.path) if finding.path else None
    line_number = finding.line if number is None else number
    return Problem(
        finding.message, display_path(file), line_number, finding.column, path, finding.hint
    )


def _late(name: str) -> Callable[[Path], Iterator[Row | Problem]]:
    # Imported when a file of the kind is read: YAML and Parquet are slow to load.
    def read(file: Path) -> Iterator[Row | Problem]:
        from lve.spec import row_documents

        reader: Callable[[Path], Iterator[Row | Problem]] = getattr(row_documents, name)
        return reader(file)

    return read


ROW_READERS: Mapping[str, Callable[[Path], Iterator[Row | Problem]]] = {
    ".jsonl": read_jsonl,
    ".csv": read_csv,
    ".json": _late("read_json"),
    ".yaml": _late("read_yaml"),
    ".yml": _late("read_yaml"),
    ".parquet": _late("read_parquet"),
}
