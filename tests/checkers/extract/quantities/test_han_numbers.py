"""Chinese, Japanese and Korean numerals."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.checkers.extract.quantities.han_numbers import HAN_NUMBER, han_value
from lve.checkers.extract.quantities.quantity import quantities_in


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


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("百分之五十", Fraction(1, 2)),
        ("負百分之十二", Fraction(-3, 25)),
        ("百分之1,200", 12),
        ("百分之万", None),
        ("三分之万", None),
        ("零分之三", None),
        ("零分之万", None),
        ("负4分の3", Fraction(-3, 4)),
        ("万点五", None),
        ("负两点五", Fraction(-5, 2)),
        ("1,200万", 12_000_000),
        ("一万十", 10_010),
        ("百十", 110),
        ("3千5百", 3500),
        ("一万万", 10**8),
        ("一万二千亿", 12 * 10**11),
        ("십만", 10**5),
        ("만이천", 12_000),
        ("억천만", 11 * 10**7),
    ],
)
def test_a_numeral_has_a_value_or_none(numeral: str, value: object) -> None:
    assert HAN_NUMBER.fullmatch(numeral)
    assert han_value(numeral) == value


SIZES = [(10**12, "兆"), (10**8, "亿"), (10**4, "万"), (1000, "千"), (100, "百"), (10, "十")]

OTHERS = (
    str.maketrans("零二万亿", "〇兩萬億"),
    str.maketrans("一二三四五六七八九十百千万亿兆", "일이삼사오육칠팔구십백천만억조"),
)
"""Other signs for the same: older ones, and Korean."""


def spelled(number: int) -> str:
    """Return a number in Chinese, as people write it but for the `零` of a gap."""
    for size, unit in SIZES:
        above, below = divmod(number, size)
        if above:
            return spelled(above) + unit + (spelled(below) if below else "")
    return "零一二三四五六七八九"[number]


@given(st.integers(0, 10**16 - 1), st.integers(1, 10**6))
def test_what_is_spelled_is_read(number: int, other: int) -> None:
    numeral = spelled(number)
    assert [han_value(numeral.translate(others)) for others in ({}, *OTHERS)] == [number] * 3
    assert han_value(f"负{numeral}点零五") == -number - Fraction(1, 20)
    assert han_value(f"百分之{numeral}") == Fraction(number, 100)
    assert han_value(f"{spelled(other)}分之{numeral}") == Fraction(number, other)
