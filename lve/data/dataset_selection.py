"""Selects rows of a data set: `columns`, `where`, `limit`, `sample`, `shuffle`, `seed`."""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import Any

from lve.data.row_sources import RowSource, Values
from lve.data.rows import Row
from lve.data_classes import dataclass
from lve.documents.json_text import decode_json
from lve.documents.position_types import Position
from lve.errors import Problem
from lve.escape import excerpt, listed
from lve.suggest import did_you_mean


class OneOf:
    """A condition of `where`: a single value, or a list of alternatives.

    A number or `true` also matches a text that says it, since all values of a CSV file are texts,
    and a date's text matches the date.
    """

    def __init__(self, alternatives: Any) -> None:
        values = alternatives if isinstance(alternatives, list) else [alternatives]
        self._simple = {value for value in values if not isinstance(value, dict | list)}
        self._others = [value for value in values if isinstance(value, dict | list)]
        self._scalars = {(type(v) is bool, v) for v in self._simple if isinstance(v, int | float)}

    def __contains__(self, value: object) -> bool:
        if isinstance(value, dict | list):
            return value in self._others
        if isinstance(value, str) and self._scalars and _scalar(value) in self._scalars:
            return True
        return (str(value) if isinstance(value, date) else value) in self._simple


def _scalar(text: str) -> tuple[bool, object]:
    """Return what JSON reads in a text, such as a cell of a CSV file, and whether it is a truth
    value (which Python takes for the numbers 0 and 1)."""
    try:
        value = decode_json(text.strip().lower())
    except ValueError:
        value = None
    return type(value) is bool, value if isinstance(value, int | float) else None


@dataclass(frozen=True)
class Selection:
    """Which rows are taken, in which order, and how their columns are renamed."""

    columns: Mapping[str, str] | None = None
    """New name -> name in the source; other columns keep their names."""
    where: Mapping[str, Any] | None = None
    limit: int | None = None
    sample: int | None = None
    shuffle: bool = False
    seed: int = 0

    @property
    def reorders(self) -> bool:
        """Whether rows are drawn or shuffled. That requires reading all rows first."""
        return self.shuffle or self.sample is not None

    def renamed(self, values: Values) -> Values:
        """Return a row with its columns renamed."""
        if not self.columns:
            return values
        names = self._new_names
        return {names.get(name, name): value for name, value in values.items()}

    @cached_property
    def _new_names(self) -> Mapping[str, str]:
        return {old: new for new, old in (self.columns or {}).items()}

    @cached_property
    def _conditions(self) -> Mapping[str, OneOf]:
        return {name: OneOf(value) for name, value in (self.where or {}).items()}

    def takes(self, values: Values) -> bool:
        """Return whether a renamed row satisfies `where`."""
        return all(values.get(name) in condition for name, condition in self._conditions.items())


class SelectedRows(RowSource):
    """The rows that a `Selection` takes from another source."""

    def __init__(self, source: RowSource, selection: Selection, place: Position) -> None:
        """Args:
        source: the rows.
        selection: which are taken.
        place: where the test document has `where`.
        """
        self.source = source
        self.selection = selection
        self._place = place
        self.name = source.name
        self._positions: Sequence[int] | None = None

    def __len__(self) -> int:
        return len(self._chosen_positions())

    def records(self) -> Iterator[Row | Problem]:
        """Yield the rows, streamed, and a problem if `where` takes none of them. If rows are drawn
        or shuffled, all problems come first."""
        records = self._drawn() if self.selection.reorders else self._streamed()
        first = next(records, None)
        if first is not None:
            yield first
            yield from records
        elif self.selection.where and (rejected := next(iter(self.source), None)):
            yield self._takes_none(self.selection.renamed(rejected), self.selection.where)

    def _drawn(self) -> Iterator[Row | Problem]:
        yield from self.source.problems()
        yield from map(self.record, range(len(self)))

    def _streamed(self) -> Iterator[Row | Problem]:
        left = self.selection.limit
        for row in self.source.records():
            if left == 0:
                return
            result = row if isinstance(row, Problem) else self._chosen(row)
            if result is not None:
                left = left - 1 if left is not None and isinstance(result, Row) else left
                yield result

    def _takes_none(self, values: Values, where: Mapping[str, Any]) -> Problem:
        """Return the problem of a `where` without rows, with a row that it rejects."""
        name = next((name for name in where if name not in values), None)
        if name is not None:
            message = f"takes no row: the first has no `{excerpt(name)}`, only {listed(values)}"
            return self._place.problem(message, did_you_mean(name, values), code="no_rows")
        shown = " and ".join(f"{excerpt(n)} {excerpt(repr(values[n]))}" for n in where)
        return self._place.problem(f"takes no row: the first has {shown}", code="no_rows")

    def record(self, position: int) -> Row:
        """Return one row."""
        if position < 0:
            raise IndexError(position)
        row = self.source.record(self._chosen_positions()[position])
        return Row(self.selection.renamed(row.values), row.line)

    def _chosen(self, row: Row) -> Row | None:
        values = self.selection.renamed(row.values)
        return Row(values, row.line) if self.selection.takes(values) else None

    def _chosen_positions(self) -> Sequence[int]:
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
