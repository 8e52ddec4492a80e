"""The rows that a selection takes, and their order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lve.data.dataset_selection import SelectedRows, Selection
from lve.data.row_sources import RowSource
from lve.data.rows import Row
from lve.errors import Problem


class Numbers(RowSource):
    """Ten rows, `n` from 0 to 9; the one in `broken` can't be read."""

    name = "numbers"

    def __init__(self, broken: int | None = None) -> None:
        self.broken = broken

    def records(self) -> Iterator[Row | Problem]:
        for n in range(10):
            yield (
                Problem("broken", Path("rows"), code="row_shape")
                if n == self.broken
                else self.record(n)
            )

    def record(self, position: int) -> Row:
        return Row({"n": position, "kind": ["even", "odd"][position % 2]}, position + 1)

    def __len__(self) -> int:
        return 10


def taken(**rule: Any) -> list[Any]:
    rows = SelectedRows(Numbers(), Selection(**rule)).records()
    return [row.values["n"] for row in rows if isinstance(row, Row)]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({}, list(range(10))),
        ({"limit": 2}, [0, 1]),
        ({"where": {"kind": "odd"}}, [1, 3, 5, 7, 9]),
        ({"where": {"kind": "odd", "n": [3, 4, 5]}}, [3, 5]),
        ({"where": {"kind": "odd"}, "limit": 2}, [1, 3]),
        ({"where": {"gone": "x"}}, []),
    ],
)
def test_rows_are_taken_in_their_order(rule: dict[str, Any], expected: list[int]) -> None:
    assert taken(**rule) == expected


def test_conditions_use_the_new_names_of_columns() -> None:
    rule = Selection(columns={"parity": "kind"}, where={"parity": "even"}, limit=1)
    [row] = SelectedRows(Numbers(), rule).records()
    assert isinstance(row, Row)
    assert row.values == {"n": 0, "parity": "even"}


def test_a_sample_keeps_the_order_and_its_seed_decides_it() -> None:
    sample = taken(sample=4, seed=1)
    assert sample == sorted(sample) == taken(sample=4, seed=1)
    assert len(set(sample)) == 4
    assert sample != taken(sample=4, seed=2)
    assert sorted(taken(shuffle=True)) == list(range(10)) != taken(shuffle=True)


def test_a_problem_does_not_count_for_the_limit() -> None:
    found = list(SelectedRows(Numbers(broken=1), Selection(limit=2)).records())
    assert [isinstance(row, Problem) for row in found] == [False, True, False]


def test_a_row_is_found_by_its_position_among_those_taken() -> None:
    rows = SelectedRows(Numbers(), Selection(where={"kind": "odd"}))
    assert len(rows) == 5
    assert rows.record(1).values["n"] == 3
    with pytest.raises(IndexError):
        rows.record(-1)
