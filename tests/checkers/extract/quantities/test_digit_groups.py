"""Digits with separators."""

from __future__ import annotations

from fractions import Fraction

import pytest

from lve.checkers.extract.quantities.digit_groups import readings


@pytest.mark.parametrize(
    ("digits", "values"),
    [
        ("42", [(42,)]),
        ("1,234,567", [(1_234_567,)]),
        ("1.234.567", [(1_234_567,)]),
        ("1'234'567", [(1_234_567,)]),
        ("1 234 567", [(1_234_567,)]),
        ("12,34,567", [(1_234_567,)]),
        ("1,234.5", [(Fraction(2469, 2),)]),
        ("1.234,5", [(Fraction(2469, 2),)]),
        ("1,5", [(Fraction(3, 2),)]),
        ("0,125", [(Fraction(1, 8),)]),
        (".5", [(Fraction(1, 2),)]),
        ("1_234", [(1234,)]),
        ("1,2,3", [(1,), (2,), (3,)]),
        ("100 20", [(100,), (20,)]),
        ("1,234,56", [()]),
        ("1.2.3", [()]),
        ("1234,567", [(Fraction(1_234_567, 1000),)]),
        ("1.234 5", [(Fraction(617, 500), 1234), (5,)]),
    ],
)
def test_digits(digits: str, values: list[object]) -> None:
    assert [read for _, _, read in readings(digits, 0, None)] == values


def test_the_numbers_of_a_list_have_their_own_places() -> None:
    places = [(start, end) for start, end, _ in readings("1,20,3", 7, None)]
    assert places == [(7, 8), (9, 11), (12, 13)]


@pytest.mark.parametrize(
    ("digits", "comma", "is_money", "values"),
    [
        ("18,000", None, False, (18_000,)),
        ("18,000", True, False, (18,)),
        ("18,000", True, True, (18_000,)),
        ("18.000", None, False, (18, 18_000)),
        ("18.000", None, True, (18_000,)),
        ("18.000", True, False, (18_000,)),
        ("18.000", False, True, (18,)),
    ],
)
def test_three_digits_are_a_group_or_decimals(
    digits: str, comma: bool | None, is_money: bool, values: tuple[int, ...]
) -> None:
    assert next(readings(digits, 0, comma, is_money=is_money))[2] == values
