"""Tests of the keys that tell rows by their args."""

from __future__ import annotations

from datetime import date

import pytest

from lve.spec.recorded_row import args_key, row_key


def test_args_that_mean_the_same_have_one_key() -> None:
    assert args_key({"b": 1, "a": None}) == args_key({"b": 1})
    assert args_key({"a": 1, "b": [1]}) == args_key({"b": [1], "a": 1})
    assert args_key({"a": 1}) != args_key({"a": "1"})


def test_args_that_json_does_not_have_are_told_by_what_they_say() -> None:
    nan, day = float("nan"), date(2026, 11, 27)
    assert args_key({"a": nan}) == args_key({"a": nan}) != args_key({"a": 1.0})
    assert args_key({"a": day}) == args_key({"a": date(2026, 11, 27)})
    assert args_key({"a": day}) != args_key({"a": date(2026, 11, 28)})


@pytest.mark.parametrize(
    ("args", "other", "is_same"),
    [
        ({"a": "1", "b": "2"}, {"b": "2", "a": "1"}, True),
        ({"a": "1", "b": None}, {"a": "1"}, True),
        ({"a": "1"}, {"a": "2"}, False),
        ({"a": "1", "b": "2"}, {"a": "2", "b": "1"}, False),
        ({"a": "1"}, {"a": 1}, False),
        ({"a": 1}, {"a": True}, False),
        ({}, {"a": None}, True),
    ],
)
def test_rows_are_the_same_by_their_filled_args(
    args: dict[str, object], other: dict[str, object], is_same: bool
) -> None:
    assert (row_key(args) == row_key(other)) is is_same
