"""Chinese, Japanese and Korean numerals."""

from __future__ import annotations

from fractions import Fraction

import pytest

from lve.checkers.extract.numerals.quantities import quantities_in


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("四十二", [42]),
        ("十", [10]),
        ("一万二千三百", [12_300]),
        ("二〇二四", [2024]),
        ("负三", [-3]),
        ("三点一四", [Fraction(157, 50)]),
        ("二亿", [200_000_000]),
        ("14亿", [1_400_000_000]),
        ("1.4亿", [140_000_000]),
        ("12万3千", [123_000]),
        ("1万500", [10_500]),
        ("3億5千万", [350_000_000]),
        ("3억", [300_000_000]),
        ("-3万", [-30_000]),
        ("三分之一", [Fraction(1, 3)]),
        ("4分の3", [Fraction(3, 4)]),
        ("第三", []),
        ("万", []),
    ],
)
def test_numerals(text: str, values: list[object]) -> None:
    assert [quantity.values[0] for quantity in quantities_in(text)] == values
