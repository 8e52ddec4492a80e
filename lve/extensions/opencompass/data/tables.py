"""Interprets `reader_cfg`: the columns for input and output, the splits and their ranges."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from lve.data_classes import dataclass
from lve.errors import TemplateError
from lve.escape import excerpt, listed
from lve.json_types import json_type

_NUMBER = re.compile(r"-?\d{1,18}")

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Table:
    """Rows with the columns of the first row, and two more columns: `subdivision` and `idx`."""

    rows: Rows
    subdivision: str = "test"
    picked: Sequence[int] | None = None
    """Positions in `rows` that a range selects; None: all."""
    renumbered: bool = False
    """Whether `idx` counts the selected rows (AISBench) or all rows (OpenCompass)."""

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(next(iter(self.rows), ()))

    def __len__(self) -> int:
        return len(self.rows if self.picked is None else self.picked)

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Return a complete row; missing columns are None.

        Raises:
            IndexError: there is no such row.
        """
        position = index if self.picked is None else self.picked[index]
        return self.complete(self.rows[position], index, position)

    def complete(self, row: Mapping[str, Any], index: int, position: int) -> dict[str, Any]:
        """Return a row with exactly the table's columns, `subdivision` and `idx`.

        Args:
            row: the row of the source.
            index: its index among the selected rows.
            position: its index among all rows.
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
        """Check a `reader_cfg` and return it as a `Reader`.

        Raises:
            TemplateError: it is invalid (stage `dataset`).
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
        self,
        splits: Mapping[str, Rows] | Rows,
        *,
        name: str,
        dialect: str,
        needs_examples: bool = True,
    ) -> tuple[Table, Table]:
        """Return the table of rows for examples, and the table of rows to test.

        Args:
            splits: split -> rows, or the same rows for both.
            name: name of the data set, which becomes part of the column `subdivision`.
            dialect: `aisbench` or `opencompass`; they number and name rows differently.
            needs_examples: whether there must be a split for examples.

        Raises:
            TemplateError: a split is missing, or a range is invalid (stage `dataset`).
        """
        whole = splits if isinstance(splits, Mapping) else {"train": splits, "test": splits}
        is_unsplit = not isinstance(splits, Mapping)
        aisbench = dialect == "aisbench"
        chosen = {split: Table(rows, name if is_unsplit else f"{name}_{split}")
                  for split, rows in whole.items()
                  if split in (self.train_split, self.test_split)}  # fmt: skip
        # OpenCompass replaces `train` before it looks up `test`, and both may be the same split.
        for split, target, size in (
            (self.train_split, "train", self.train_range),
            (self.test_split, "test", self.test_range),
        ):
            if split not in chosen and target == "train" and not needs_examples:
                chosen[target] = Table(())
                continue
            if split not in chosen:
                what = (
                    "the data set has no splits of other names than" if is_unsplit else "there are"
                )
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
        picked = positions  # AISBench takes all rows if it can't parse the range
    return Table(table.rows, subdivision, picked, aisbench)


def pick_range(positions: Sequence[int], size: int | float | str) -> Sequence[int]:
    """Return the positions that `train_range` or `test_range` selects.

    Args:
        positions: the positions to select from.
        size: a text such as `[0:100]` is a Python slice. A number takes that many positions (or
            that share of them, below 1) after shuffling with `random.Random(number)`.

    Raises:
        TemplateError: the range is invalid (stage `dataset`).
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


def input_text(row: Mapping[str, object], columns: Sequence[str]) -> str:
    """Return the values of a row's input columns, joined by blanks. Retrievers compare these texts.

    Raises:
        TemplateError: a column is missing (stage `retriever`).
    """
    try:
        return " ".join(str(row[column]) for column in columns)
    except KeyError as error:
        raise TemplateError(f"there is no input column {error}", stage="retriever") from error
