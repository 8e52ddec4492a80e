"""Where a data set's rows come from: files, rows written out, and what is taken from them.

A source is read from the front without holding it in memory, and answers for single rows.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from lve.errors import Problem
from lve.spec.rows import Row, iter_rows, parse_line, text_lines

Values = Mapping[str, Any]


class RowSource(Sequence[Values]):
    """Rows by position, from 0. Rows that can't be read have no position."""

    name: str
    """The file relative to the test folder."""

    def records(self) -> Iterator[Row | Problem]:
        """Yield the rows with their lines, and what is wrong with others.

        Raises:
            SpecError: the file can't be read at all.
        """
        raise NotImplementedError

    def record(self, position: int) -> Row:
        """Return one row with its line.

        Raises:
            IndexError: there is no such row.
        """
        raise NotImplementedError

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong with rows that have no position; reads all rows.

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


class InlineRows(RowSource):
    """Rows written in the test document."""

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
    """Rows of a file of any kind. Single rows are answered from memory once one is asked for."""

    def __init__(self, file: Path, name: str, ending: str | None = None) -> None:
        self.file = file
        self.name = name
        self.ending = ending
        self._rows: list[Row] | None = None

    def __len__(self) -> int:
        return len(self._kept())

    def records(self) -> Iterator[Row | Problem]:
        """Yield the rows, streamed from the file."""
        return iter_rows(self.file, self.ending)

    def record(self, position: int) -> Row:
        """Return one row."""
        if position < 0:
            raise IndexError(position)
        return self._kept()[position]

    def _kept(self) -> list[Row]:
        if self._rows is None:
            self._rows = [row for row in self.records() if isinstance(row, Row)]
        return self._rows


class JsonlRows(FileRows):
    """Rows of a JSONL file. Only where each line begins is kept in memory."""

    def __init__(self, file: Path, name: str) -> None:
        super().__init__(file, name, ".jsonl")
        self._places = array("Q")
        """Line, where it begins, and where it ends, of each row in turn."""
        self._lines = self._scan()
        self._whole = False

    def __len__(self) -> int:
        while not self._whole:
            self._next()
        return len(self._places) // 3

    def record(self, position: int) -> Row:
        """Return one row; reads the file only as far as needed."""
        if position < 0:
            raise IndexError(position)
        while len(self._places) <= position * 3 and not self._whole:
            self._next()
        if position * 3 >= len(self._places):
            raise IndexError(position)
        line, start, stop = self._places[position * 3 : position * 3 + 3]
        with self.file.open("rb") as stream:
            stream.seek(start)
            text = stream.read(stop - start).decode("utf-8").removeprefix("\ufeff")
        return Row(parse_line(text, self.file, line), line)

    def _next(self) -> None:
        place = next(self._lines, None)
        self._whole = place is None
        self._places.extend(place or ())

    def _scan(self) -> Iterator[tuple[int, int, int]]:
        for number, start, stop, line in text_places(self.file):
            if isinstance(parse_line(line, self.file, number), dict):
                yield number, start, stop


def text_places(file: Path) -> Iterator[tuple[int, int, int, str]]:
    """Yield line number, begin and end in bytes, and text of each line that can be read."""
    readable = ((n, line) for n, line in text_lines(file) if isinstance(line, str))
    with file.open("rb") as stream:
        number = start = 0
        for wanted, line in readable:
            while number < wanted:
                start = stream.tell()
                stream.readline()
                number += 1
            yield wanted, start, stream.tell(), line


@dataclass(frozen=True)
class Selection:
    """What is taken from a source: columns renamed, rows chosen and put in order."""

    columns: Mapping[str, str] | None = None
    """New name -> name in the source; others stay as they are."""
    where: Mapping[str, Any] | None = None
    limit: int | None = None
    sample: int | None = None
    shuffle: bool = False
    seed: int = 0

    @property
    def reorders(self) -> bool:
        """Whether rows are taken at random, which needs to know them all."""
        return self.shuffle or self.sample is not None

    def renamed(self, values: Values) -> Values:
        """Return a row under its new names."""
        if not self.columns:
            return values
        names = {old: new for new, old in self.columns.items()}
        return {names.get(name, name): value for name, value in values.items()}

    def takes(self, values: Values) -> bool:
        """Return whether a renamed row satisfies `where`."""
        wanted = self.where or {}
        return all(_is_one_of(values.get(name), value) for name, value in wanted.items())


class SelectedRows(RowSource):
    """What a `Selection` takes from a source."""

    def __init__(self, source: RowSource, selection: Selection) -> None:
        self.source = source
        self.selection = selection
        self.name = source.name
        self._positions: Sequence[int] | None = None

    def __len__(self) -> int:
        return len(self._taken())

    def records(self) -> Iterator[Row | Problem]:
        """Yield the rows: streamed, unless their order is random; then all problems come first."""
        if self.selection.reorders:
            yield from self.source.problems()
            yield from map(self.record, range(len(self)))
            return
        left = self.selection.limit
        for row in self.source.records():
            if left == 0:
                return
            taken = row if isinstance(row, Problem) else self._chosen(row)
            if taken is not None:
                left = left - 1 if left is not None and isinstance(taken, Row) else left
                yield taken

    def record(self, position: int) -> Row:
        """Return one row."""
        if position < 0:
            raise IndexError(position)
        row = self.source.record(self._taken()[position])
        return Row(self.selection.renamed(row.values), row.line)

    def _chosen(self, row: Row) -> Row | None:
        values = self.selection.renamed(row.values)
        return Row(values, row.line) if self.selection.takes(values) else None

    def _taken(self) -> Sequence[int]:
        if self._positions is None:
            self._positions = self._choose()
        return self._positions

    def _choose(self) -> Sequence[int]:
        chosen, rule = array("Q"), self.selection
        for position, values in enumerate(self.source):
            if not rule.reorders and rule.limit is not None and len(chosen) >= rule.limit:
                break
            if rule.takes(rule.renamed(values)):
                chosen.append(position)
        if not rule.reorders:
            return chosen
        generator = random.Random(rule.seed)
        number = len(chosen) if rule.sample is None else min(rule.sample, len(chosen))
        drawn = generator.sample(chosen, number)
        return (drawn if rule.shuffle else sorted(drawn))[: rule.limit]


def _is_one_of(value: Any, wanted: Any) -> bool:
    return value in wanted if isinstance(wanted, list) else bool(value == wanted)
