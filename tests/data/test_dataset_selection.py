"""The rows that a selection takes, and their order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from lve.data.dataset_selection import SelectedRows, Selection
from lve.data.row_sources import ListedRows, RowSource
from lve.data.rows import Row
from lve.documents.position_types import Position
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


PLACE = Position(Path("test.yaml"), path="$.dataset.where")


def selected(**rule: Any) -> SelectedRows:
    return SelectedRows(Numbers(), Selection(**rule), PLACE)


def taken(**rule: Any) -> list[Any]:
    rows = selected(**rule).records()
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
    [row] = SelectedRows(Numbers(), rule, PLACE).records()
    assert isinstance(row, Row)
    assert row.values == {"n": 0, "parity": "even"}


def test_a_sample_keeps_the_order_and_its_seed_decides_it() -> None:
    sample = taken(sample=4, seed=1)
    assert sample == sorted(sample) == taken(sample=4, seed=1)
    assert len(set(sample)) == 4
    assert sample != taken(sample=4, seed=2)
    assert sorted(taken(shuffle=True)) == list(range(10)) != taken(shuffle=True)


def test_a_problem_does_not_count_for_the_limit() -> None:
    found = list(SelectedRows(Numbers(broken=1), Selection(limit=2), PLACE).records())
    assert [isinstance(row, Problem) for row in found] == [False, True, False]


def test_a_row_is_found_by_its_position_among_those_taken() -> None:
    rows = selected(where={"kind": "odd"})
    assert len(rows) == 5
    assert rows.record(1).values["n"] == 3
    with pytest.raises(IndexError):
        rows.record(-1)


MIXED = [
    {"level": "1", "done": "true", "day": "2024-01-01", "zip": "01"},
    {"level": "1.0", "done": "TRUE", "day": date(2024, 1, 1), "zip": "1"},
    {"level": 1, "done": True, "day": "2024-01-02", "zip": 1},
    {"level": "one", "done": "1", "day": "", "zip": " 1 "},
]


@pytest.mark.parametrize(
    ("where", "numbers"),
    [
        ({"level": 1}, [1, 2, 3]),
        ({"level": [1, "one"]}, [1, 2, 3, 4]),
        ({"level": "1"}, [1]),
        ({"done": True}, [1, 2, 3]),
        ({"done": 1}, [3, 4]),
        ({"day": "2024-01-01"}, [1, 2]),
        ({"zip": 1}, [2, 3, 4]),
        ({"zip": 1.0}, [2, 3, 4]),
    ],
)
def test_numbers_truth_values_and_dates_match_texts_that_say_them(
    where: dict[str, Any], numbers: list[int]
) -> None:
    rows = SelectedRows(ListedRows(MIXED, "r.csv"), Selection(where=where), PLACE)
    assert [row.line for row in rows.records() if isinstance(row, Row)] == numbers
    assert len(rows) == len(numbers)


@pytest.mark.parametrize("more", [{}, {"shuffle": True}, {"sample": 2}, {"limit": 1}])
@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"n": 10}, "test.yaml: $.dataset.where: takes no row: the first has n 0"),
        (
            {"kind": "evn", "n": 1},
            "test.yaml: $.dataset.where: takes no row: the first has kind 'even' and n 0",
        ),
        (
            {"kinds": "odd"},
            "test.yaml: $.dataset.where: takes no row: the first has no `kinds`, "
            "only n, kind (did you mean `kind`?)",
        ),
    ],
)
def test_a_condition_that_takes_no_row_is_a_problem(
    where: dict[str, Any], message: str, more: dict[str, Any]
) -> None:
    assert [str(row) for row in selected(where=where, **more).records()] == [message]
