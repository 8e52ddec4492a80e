"""Interprets `reader_cfg`: input and output columns, splits and ranges."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lve.documents.json_types import json_type
from lve.errors import TemplateError
from lve.escape import excerpt, listed

_NUMBER = re.compile(r"-?\d{1,18}")

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Table:
    """Rows with the columns of the first row, and `subdivision` and `idx` as further columns."""

    rows: Rows
    subdivision: str = "test"
    picked: Sequence[int] | None = None
    """Positions in `rows` that a range picks. None: all."""
    renumbered: bool = False
    """Whether `idx` counts after the range (AISBench) or before it (OpenCompass)."""

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(next(iter(self.rows), ()))

    def __len__(self) -> int:
        return len(self.rows if self.picked is None else self.picked)

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Return a row; missing columns are None.

        Raises:
            IndexError: there is no such row.
        """
        position = index if self.picked is None else self.picked[index]
        return self.complete(self.rows[position], index, position)

    def complete(self, row: Mapping[str, Any], index: int, position: int) -> dict[str, Any]:
        """Return a row with the table's columns, `subdivision` and `idx`.

        Args:
            row: the row of the source.
            index: its number after the range.
            position: its number before the range.
        """
        number = index if self.renumbered or self.picked is None else position
        number += len(self) if number < 0 else 0
        result = {column: row.get(column) for column in self.columns}
        result["subdivision"] = self.subdivision
        result["idx"] = number
        return result


@dataclass(frozen=True)
class Reader:
    """A checked `reader_cfg`."""

    input_columns: tuple[str, ...]
    output_column: str | None
    train_split: str = "train"
    test_split: str = "test"
    train_range: int | float | str | None = None
    test_range: int | float | str | None = None

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Reader:
        """Check a `reader_cfg`.

        Raises:
            TemplateError: stage `dataset`.
        """
        columns = config.get("input_columns", [])
        names = columns.split() if isinstance(columns, str) else columns
        if not isinstance(names, list):
            raise _error(f"`input_columns` must be a list or a text, not {json_type(columns)}")
        output = config.get("output_column") or None
        if output is not None and not isinstance(output, str):
            raise _error(f"`output_column` must be a text, not {json_type(output)}")
        return cls(
            tuple(map(str, names)),
            output,
            config.get("train_split", "train"),
            config.get("test_split", "test"),
            _check_range(config.get("train_range"), "train_range"),
            _check_range(config.get("test_range"), "test_range"),
        )

    def tables(
        self, splits: Mapping[str, Rows] | Rows, *, name: str, dialect: str
    ) -> tuple[Table, Table]:
        """Return the rows for examples and the rows to ask about.

        Args:
            splits: the rows by split, or one list for both.
            name: name of the data set, part of the column `subdivision`.
            dialect: AISBench numbers the rows after the range, OpenCompass before.
        """
        whole = splits if isinstance(splits, Mapping) else {"train": splits, "test": splits}
        one = not isinstance(splits, Mapping)
        aisbench = dialect == "aisbench"
        chosen = {split: Table(rows, name if one else f"{name}_{split}")
                  for split, rows in whole.items()
                  if split in (self.train_split, self.test_split)}  # fmt: skip
        # OpenCompass replaces `train` before it looks up `test`; both may name the same split.
        for split, target, size in (
            (self.train_split, "train", self.train_range),
            (self.test_split, "test", self.test_range),
        ):
            if split not in chosen:
                what = "the data set has no splits of other names than" if one else "there are"
                raise _error(f"there is no split {split!r}; {what} {listed(whole)}")
            subdivision = f"{name}_{target}" if aisbench else chosen[split].subdivision
            chosen[target] = _limited(chosen[split], size, subdivision, aisbench)
        return chosen["train"], chosen["test"]


def _limited(table: Table, size: Any, subdivision: str, aisbench: bool) -> Table:
    if size is None:
        return Table(table.rows, subdivision, table.picked, aisbench)
    positions = table.picked if table.picked is not None else range(len(table.rows))
    try:
        picked = pick_range(positions, size)
    except TemplateError:
        if not (aisbench and isinstance(size, str)):
            raise
        picked = positions  # AISBench takes all rows where it can't read the range.
    return Table(table.rows, subdivision, picked, aisbench)


def pick_range(positions: Sequence[int], size: int | float | str) -> Sequence[int]:
    """Return the positions that `train_range` or `test_range` selects.

    A text such as `[0:100]` is a Python slice. A number takes that many positions (below 1: that
    share of them) after shuffling with `random.Random(number)`.

    Raises:
        TemplateError: stage `dataset`.
    """
    if isinstance(size, str):
        return _sliced(positions, size)
    if size >= len(positions) or size <= 0:
        return positions
    number = int(size * len(positions)) if size < 1 else size
    if not isinstance(number, int):
        raise _error(f"a range of 1 or more must be a whole number, not {size}")
    shuffled = list(positions)
    random.Random(number).shuffle(shuffled)
    return shuffled[:number]


def _sliced(positions: Sequence[int], text: str) -> Sequence[int]:
    text = text.strip()
    if not text:
        return positions
    parts = [part.strip() for part in text[1:-1].split(":", 3)]
    is_slice = text[0] == "[" and text[-1] == "]" and 2 <= len(parts) <= 3
    are_numbers = all(not part or _NUMBER.fullmatch(part) for part in parts)
    numbers = [int(part) if part else None for part in parts] if is_slice and are_numbers else []
    if not numbers or numbers[2:] == [0]:
        raise _error(f"can't read the range '{excerpt(text)}'; write it like '[0:100]'")
    return positions[slice(*numbers)]


def _check_range(value: object, name: str) -> Any:
    if value is None or (isinstance(value, int | float | str) and value == value):
        return value
    raise _error(f"`{name}` must be a number or a text such as '[0:100]', not {json_type(value)}")


def _error(message: str) -> TemplateError:
    return TemplateError(message, stage="dataset")


def input_text(row: Mapping[str, Any], columns: Sequence[str]) -> str:
    """Return the input columns of a row joined by blanks, for retrievers to compare.

    Raises:
        TemplateError: stage `retriever`; there is no such column.
    """
    try:
        return " ".join(str(row[column]) for column in columns)
    except KeyError as error:
        raise TemplateError(f"there is no input column {error}", stage="retriever") from error
