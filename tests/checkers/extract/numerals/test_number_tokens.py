"""The numbers in a text."""

from __future__ import annotations

from fractions import Fraction

import pytest

from lve.checkers.extract.numerals.number_tokens import numbers_in

ONE_QUARTER = Fraction(1, 4)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,234.5", [Fraction(2469, 2)]),
        ("1.234,5", [Fraction(2469, 2)]),
        ("12,34,567", [1234567]),
        ("1,234,56", []),
        ("1.2.3", []),
        ("1,2,3", [1, 2, 3]),
        ("100 20", [100, 20]),
        ("2 1/2", [Fraction(5, 2)]),
        ("1/0", []),
        ("1/2/2024", [1, 2, 2024]),
        ("\\frac{1}{4}", [ONE_QUARTER]),
        ("\\frac14", [ONE_QUARTER]),
        ("\\frac{1}{0}", []),
        ("2^10", [1024]),
        ("9^999", [9]),
        ("1e9999", []),
        ("3 × 10^{-2}", [Fraction(3, 100)]),
        ("5-3", [5, 3]),
        ("- 3", [3]),
        ("= - 3", [-3]),
        ("minus 3", [-3]),
        ("COVID-19", [19]),
        ("B12", []),
        ("3k", [3000]),
        ("3 km", [3]),
        ("120万", [1_200_000]),
        ("forty-two", [42]),
        ("9" * 500, []),
    ],
)
def test_numbers(text: str, values: list[object]) -> None:
    assert [number.values[0] for number in numbers_in(text)] == values


@pytest.mark.parametrize(
    ("comma", "values"), [(None, (1234, Fraction(617, 500))), (False, (1234,))]
)
def test_what_can_be_read_in_two_ways_has_two_values(
    comma: bool | None, values: tuple[object, ...]
) -> None:
    assert numbers_in("1,234", comma_is_decimal=comma)[0].values == values


def test_percent_is_also_a_share() -> None:
    assert numbers_in("50 %")[0].values == (50, Fraction(1, 2))
