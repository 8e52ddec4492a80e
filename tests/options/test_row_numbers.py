"""The numbers of `--rows`."""

from __future__ import annotations

import pytest

from lve.options.row_numbers import MAX_RANGES, parse_rows


@pytest.mark.parametrize(
    ("text", "numbers", "last"),
    [
        ("3", [3], 3),
        ("2-4", [2, 3, 4], 4),
        ("2-4,7", [2, 3, 4, 7], 7),
        (" 7 , 1 - 2 ", [1, 2, 7], 7),
        ("8-", [8, 9], None),
        ("1,8-", [1, 8, 9], None),
        ("9,1-3,2", [1, 2, 3, 9], 9),
    ],
)
def test_which_rows_are_meant(text: str, numbers: list[int], last: int | None) -> None:
    rows = parse_rows(text)
    assert [number for number in range(10) if number in rows] == numbers
    assert rows.last == last


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not ''"),
        ("a", "not 'a'"),
        ("-3", "not '-3'"),
        ("1,,2", "not ''"),
        ("1-2-3", "not '1-2-3'"),
        ("٣", "not '٣'"),
        ("1" * 99, "not '1111"),
        ("0", "rows count from 1, and '0' doesn't"),
        ("0-4", "rows count from 1, and '0-4' doesn't"),
        ("4-2", "'4-2' ends before it begins"),
        ("1," * MAX_RANGES + "1", "up to 1,000 ranges of rows"),
    ],
)
def test_what_means_no_rows(text: str, told: str) -> None:
    with pytest.raises(ValueError) as error:
        parse_rows(text)
    assert told in str(error.value)
