"""Row sources: the rows of a file or of a test document, streamed or accessed by position.

Streaming keeps no rows in memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from lve.data.problems import memory_of
from lve.data.rows import (
    NO_LIST,
    NO_OBJECT,
    Row,
    iter_rows,
    read_json_text,
    text_places,
    unusable_text,
)
from lve.documents.json_text import JSON_BLANKS, decode_json, list_items
from lve.documents.position_types import TextError
from lve.errors import Problem, SpecError
from lve.files.inside import open_inside
from lve.spec.location import why_unusable
from lve.workspace import display_path

Values = Mapping[str, Any]

MAX_KEPT_BYTES = 300_000_000
"""Maximum memory for rows that are kept for access by position."""


class RowSource(Sequence[Values]):
    """The rows of a data set. A row's position counts from 0 and skips rows that can't be read."""

    name: str
    """The file, relative to the test folder."""

    def records(self) -> Iterator[Row | Problem]:
        """Yield the rows with their lines, and a problem for each bad row.

        Raises:
            SpecError: the file can't be read at all.
        """
        raise NotImplementedError

    def record(self, position: int) -> Row:
        """Return the row at a position, with its line.

        Raises:
            IndexError: there is no such row.
        """
        raise NotImplementedError

    def problems(self) -> Iterator[Problem]:
        """Yield the problems of bad rows. Reads all rows.

        Raises:
            SpecError: the file can't be read at all.
        """
        return (row for row in self.records() if isinstance(row, Problem))

    def __iter__(self) -> Iterator[Values]:
        return (row.values for row in self.records() if isinstance(row, Row))

    @overload
    def __getitem__(self, index: int) -> Values: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Values]: ...
    def __getitem__(self, index: int | slice) -> Values | Sequence[Values]:
        if isinstance(index, slice):
            return [self.record(n).values for n in range(len(self))[index]]
        return self.record(index if index >= 0 else len(self) + index).values


class ListedRows(RowSource):
    """Rows of a sequence: those in a test document, or of a data set from the hub."""

    def __init__(self, rows: Sequence[Values], name: str) -> None:
        self.rows = rows
        self.name = name

    def __len__(self) -> int:
        return len(self.rows)

    def records(self) -> Iterator[Row | Problem]:
        """Yield the rows; the line is the row's number."""
        return (Row(values, n) for n, values in enumerate(self.rows, 1))

    def record(self, position: int) -> Row:
        """Return one row."""
        if position < 0:
            raise IndexError(position)
        return Row(self.rows[position], position + 1)


class FileRows(RowSource):
    """Rows of a file of any kind. The first access by position loads all rows into memory."""

    def __init__(self, folder: Path, name: str, ending: str) -> None:
        """Args:
        folder: the test folder; the file must be in it.
        name: the file, relative to the folder.
        ending: selects the reader: `.jsonl`.
        """
        self.folder = folder
        self.file = folder / name
        self.name = name
        self.ending = ending
        self._rows: list[Row] | None = None

    def __len__(self) -> int:
        return len(self._kept())

    def records(self) -> Iterator[Row | Problem]:
        """Yield the rows, streamed from the file."""
        return iter_rows(self.file, self.folder, self.ending)

    def record(self, position: int) -> Row:
        """Return one row."""
        if position < 0:
            raise IndexError(position)
        return self._kept()[position]

    def _kept(self) -> list[Row]:
        if self._rows is None:
            self._rows = list(self._limited(self.records()))
        return self._rows

    def _limited(self, rows: Iterator[Row | Problem]) -> Iterator[Row]:
        left = MAX_KEPT_BYTES
        for row in rows:
            if isinstance(row, Row):
                left -= memory_of(row.values)
                if left < 0:
                    message = f"has more than {MAX_KEPT_BYTES // 1_000_000} MB of rows"
                    hint = "save it as JSONL, whose rows are found without keeping all in memory"
                    raise SpecError(
                        [Problem(message, display_path(self.file), hint=hint, code="over_limit")]
                    )
                yield row


class IndexedRows(FileRows):
    """Rows that are found by their offsets in the file. Only the offsets are kept in memory. The
    file is read only as far as needed."""

    def __init__(self, folder: Path, name: str, ending: str) -> None:
        super().__init__(folder, name, ending)
        self._places = array("Q")
        """Line number, start offset and end offset of each row, in one flat array."""
        self._lines = self._scan()
        self._whole = False

    def __len__(self) -> int:
        while not self._whole:
            self._next()
        return len(self._places) // 3

    def record(self, position: int) -> Row:
        """Return the row at a position. Reads the file only as far as needed."""
        if position < 0:
            raise IndexError(position)
        while len(self._places) <= position * 3 and not self._whole:
            self._next()
        if position * 3 >= len(self._places):
            raise IndexError(position)
        line, start, stop = self._places[position * 3 : position * 3 + 3]
        values = _value(self._text(start, stop))
        if isinstance(values, dict):
            return Row(values, line)
        raise SpecError(
            [
                Problem(
                    "changed while it was read", display_path(self.file), line, code="changed_file"
                )
            ]
        )

    def _next(self) -> None:
        place = next(self._lines, None)
        self._whole = place is None
        self._places.extend(place or ())

    def _text(self, start: int, stop: int) -> str:
        """Return the text of a row, given its offsets."""
        raise NotImplementedError

    def _scan(self) -> Iterator[tuple[int, int, int]]:
        """Yield line number, start offset and end offset of each row."""
        raise NotImplementedError


class JsonlRows(IndexedRows):
    """Rows of a JSONL file."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, name, ".jsonl")

    def _text(self, start: int, stop: int) -> str:
        try:
            with open_inside(self.folder, self.file) as stream:
                stream.seek(start)
                return stream.read(stop - start).decode("utf-8", "replace").removeprefix("\ufeff")
        except OSError as error:
            raise SpecError(
                [Problem(why_unusable(error), display_path(self.file), code="unreadable")]
            ) from error

    def _scan(self) -> Iterator[tuple[int, int, int]]:
        for number, start, stop, line in text_places(self.file, self.folder):
            if isinstance(line, str) and isinstance(_value(line), dict):
                yield number, start, stop


class JsonRows(IndexedRows):
    """Rows of a large JSON file. Its text is kept in memory, which takes a tenth of the memory of
    its rows.

    As in a JSONL file, a syntax error is found only when the rows before it have been read.
    """

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, name, ".json")
        self._read: str | None = None

    def records(self) -> Iterator[Row | Problem]:
        """Yield the rows, one at a time. The number of a row stands for its line."""
        display = display_path(self.file)
        for number, (values, _, _) in enumerate(self._items(), 1):
            is_row = isinstance(values, dict)
            yield (
                Row(values, number)
                if is_row
                else Problem(NO_OBJECT, display, number, code="row_shape")
            )

    def _items(self) -> Iterator[tuple[Any, int, int]]:
        try:
            yield from list_items(self._whole_text())
        except TextError as error:
            raise unusable_text(error, self.file) from error

    def _whole_text(self) -> str:
        if self._read is None:
            self._read = read_json_text(self.file, self.folder)
            if not self._read.lstrip(JSON_BLANKS).startswith("["):
                raise SpecError([Problem(NO_LIST, display_path(self.file), code="row_shape")])
        return self._read

    def _text(self, start: int, stop: int) -> str:
        return self._whole_text()[start:stop]

    def _scan(self) -> Iterator[tuple[int, int, int]]:
        for number, (values, start, stop) in enumerate(self._items(), 1):
            if isinstance(values, dict):
                yield number, start, stop


def _value(line: str) -> object:
    """Return the JSON value of a line; None if it isn't JSON."""
    try:
        return decode_json(line)
    except ValueError:
        return None
