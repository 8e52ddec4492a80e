"""Numbers in words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from lve.checkers.extract.quantities.quantity import quantities_in
from lve.checkers.extract.quantities.spelled_numbers import spelled_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("forty-two", 42),
        ("Three hundred and five", 305),
        ("one thousand two hundred", 1200),
        ("a hundred", 100),
        ("two million three hundred thousand", 2_300_000),
        ("minus seven", -7),
        ("two point five", Fraction(5, 2)),
        ("one two three", None),
        ("a quarter", Fraction(1, 4)),
        ("two thirds", Fraction(2, 3)),
        ("half a million", 500_000),
        ("one in four", Fraction(1, 4)),
        ("two and a half million", 2_500_000),
        ("nobody", None),
    ],
)
def test_numbers_in_words(text: str, value: object) -> None:
    assert spelled_value(text) == value


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("There are forty-two of them.", [42]),
        ("one two three", []),
        ("a third person", []),
        ("nobody", []),
        ("one and a half hours", [Fraction(3, 2)]),
    ],
)
def test_words_in_a_text(text: str, values: list[object]) -> None:
    assert [quantity.values[0] for quantity in quantities_in(text)] == values
