"""`reader_cfg`: columns, splits and ranges."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.errors import TemplateError
from lve.extensions.opencompass.data.tables import Reader, Table, input_text, pick_range

ROWS = [{"q": f"q{n}", "n": n} for n in range(6)]

RANGES = [
    ("[1:3]", [1, 2]),
    ("[:-4]", [0, 1]),
    (" [ ::2 ] ", [0, 2, 4]),
    ("[::-1]", [5, 4, 3, 2, 1, 0]),
    ("", [0, 1, 2, 3, 4, 5]),
    (0, [0, 1, 2, 3, 4, 5]),
    (-1, [0, 1, 2, 3, 4, 5]),
    (6, [0, 1, 2, 3, 4, 5]),
    (99, [0, 1, 2, 3, 4, 5]),
]


@pytest.mark.parametrize(("size", "expected"), RANGES)
def test_ranges(size: Any, expected: list[int]) -> None:
    assert list(pick_range(range(6), size)) == expected


@pytest.mark.parametrize(("size", "number"), [(2, 2), (5, 5), (0.5, 3), (0.99, 5)])
def test_a_number_takes_the_first_of_the_rows_that_it_shuffles(size: float, number: int) -> None:
    shuffled = list(range(6))
    random.Random(number).shuffle(shuffled)
    assert list(pick_range(range(6), size)) == shuffled[:number]


def test_a_share_above_one_is_no_number_of_rows() -> None:
    with pytest.raises(TemplateError, match=r"must be a whole number, not 2\.5"):
        pick_range(range(6), 2.5)


@pytest.mark.parametrize("text", ["[1]", "[::0]", "[1:2", "1:2", "[exit()]", "[0:1]+[2]", "[a:b]"])
def test_a_range_that_is_no_slice_is_refused(text: str) -> None:
    with pytest.raises(TemplateError, match="can't read the range"):
        pick_range(range(6), text)


@given(st.text())
def test_no_text_as_a_range_does_anything_else(text: str) -> None:
    with suppress(TemplateError):
        assert set(pick_range(range(6), text)) <= set(range(6))


def test_a_table_has_the_columns_of_its_first_row() -> None:
    table = Table([{"a": 1, "b": 2}, {"b": 3, "c": 4}], "demo_test")
    assert table[1] == {"a": None, "b": 3, "subdivision": "demo_test", "idx": 1}
    assert table[-1]["idx"] == 1


@pytest.mark.parametrize(("dialect", "numbers"), [("opencompass", [2, 3]), ("aisbench", [0, 1])])
def test_the_projects_number_rows_differently(dialect: str, numbers: list[int]) -> None:
    reader = Reader.from_config({"input_columns": "q", "output_column": "n", "test_range": "[2:4]"})
    _, test = reader.tables(ROWS, name="demo", dialect=dialect)
    assert [test[n]["idx"] for n in range(2)] == numbers


def test_both_splits_may_be_the_same_and_then_the_first_range_counts_for_both() -> None:
    config = {"input_columns": [], "output_column": None, "test_split": "train"}
    reader = Reader.from_config({**config, "train_range": "[1:]"})
    _, test = reader.tables({"train": ROWS, "test": []}, name="demo", dialect="opencompass")
    assert [test[n]["n"] for n in range(len(test))] == [1, 2, 3, 4, 5]


def test_a_split_that_is_not_there_is_told_with_those_that_are() -> None:
    reader = Reader.from_config({"input_columns": ["q"], "test_split": "dev"})
    with pytest.raises(TemplateError, match=r"no split 'dev'; .* train, test"):
        reader.tables(ROWS, name="demo", dialect="opencompass")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"input_columns": 5}, "`input_columns` must be a list or a text"),
        ({"input_columns": ["q"], "output_column": 5}, "`output_column` must be a text"),
        ({"input_columns": ["q"], "train_range": [1]}, "`train_range` must be a number or a text"),
        ({"input_columns": ["q"], "test_range": float("nan")}, "`test_range` must be a number"),
    ],
)
def test_a_wrong_reader_is_explained(config: dict[str, Any], message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        Reader.from_config(config)


def test_aisbench_takes_all_rows_where_it_can_not_read_the_range() -> None:
    reader = Reader.from_config({"input_columns": ["q"], "test_range": "some"})
    _, test = reader.tables(ROWS, name="demo", dialect="aisbench")
    assert (len(test), test[0]["subdivision"]) == (6, "demo_test")
    with pytest.raises(TemplateError, match="can't read the range"):
        reader.tables(ROWS, name="demo", dialect="opencompass")


def test_input_columns_are_compared_as_one_text() -> None:
    assert input_text({"q": "why", "n": 5}, ["q", "n"]) == "why 5"
    with pytest.raises(TemplateError, match="there is no input column 'x'"):
        input_text({"q": "why"}, ["q", "x"])
