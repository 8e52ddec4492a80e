"""Numbers in words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from lve.checkers.extract.numerals.spelled_numbers import spelled_numbers


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("forty-two", [42]),
        ("Three hundred and five", [305]),
        ("one thousand two hundred", [1200]),
        ("a hundred", [100]),
        ("two million three hundred thousand", [2_300_000]),
        ("minus seven", [-7]),
        ("two point five", [Fraction(5, 2)]),
        ("one two three", []),
        ("nobody", []),
        ("四十二", [42]),
        ("十", [10]),
        ("一万二千三百", [12_300]),
        ("二〇二四", [2024]),
        ("负三", [-3]),
        ("三点一四", [Fraction(157, 50)]),
        ("二亿", [200_000_000]),
    ],
)
def test_numbers_in_words(text: str, values: list[object]) -> None:
    assert [value for _, _, value in spelled_numbers(text)] == values
