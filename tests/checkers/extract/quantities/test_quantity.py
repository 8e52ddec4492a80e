"""The quantities in a text."""

from __future__ import annotations

from fractions import Fraction

import pytest

from lve.checkers.extract.quantities.quantity import quantities_in
from lve.checkers.extract.quantities.units import units_named

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
        ("1/2/2024", [2024]),
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
        ("COVID-19", []),
        ("B12", []),
        ("3k", [3000]),
        ("3 km", [3]),
        ("120万", [1_200_000]),
        ("forty-two", [42]),
        ("0x2A", [42]),
        ("£3.2m", [3_200_000]),
        ("1,5 milhão", [1_500_000]),
        ("3:2", []),
        ("3 in 4", [Fraction(3, 4)]),
        ("3 in 2020", [3, 2020]),
        ("half an hour", [Fraction(1, 2)]),
        ("mc^2", []),
        ("6'2\"", [74]),
        ("3πr", []),
        ("9" * 500, []),
    ],
)
def test_numbers(text: str, values: list[object]) -> None:
    assert [number.values[0] for number in quantities_in(text)] == values


@pytest.mark.parametrize(
    ("text", "comma", "values"),
    [
        ("1,234", None, (1234,)),
        ("1,234", False, (1234,)),
        ("1,234", True, (Fraction(617, 500),)),
        ("1.234", None, (Fraction(617, 500), 1234)),
        ("1.234", False, (Fraction(617, 500),)),
        ("1.234", True, (1234,)),
        ("€1.234", None, (1234,)),
        ("$1,234", True, (1234,)),
        *((f"1.234{space}{sign}", None, (1234,)) for sign in "€$£" for space in ("", " ")),
        ("1.234 m", None, (Fraction(617, 500), 1234)),
        ("$3.459", False, (Fraction(3459, 1000),)),
    ],
)
def test_three_digits_after_a_separator(
    text: str, comma: bool | None, values: tuple[object, ...]
) -> None:
    assert quantities_in(text, comma_is_decimal=comma)[0].values == values


def test_percent_is_also_a_share() -> None:
    quantity = quantities_in("50 %")[0]
    assert (quantity.values, quantity.others) == ((50,), (Fraction(1, 2),))


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("24 cm^2", 24, "cm^2"),
        ("12 m/s^2", 12, "m/s^2"),
        ("12 s^-1", 12, "Hz"),
        ("12 kg·m^2", 12, "kg·m^2"),
        ("20 Canadian dollars", 20, "CAD"),
        ("CHF 20", 20, "CHF"),
        ("US$20", 20, "$"),
        ("€-5", -5, "€"),
        ("1.5 million dollars", 1_500_000, "USD"),
        ("1 h 30 min", 90, "min"),
        ("1 minute and 15 seconds", 75, "s"),
        ("5 ft 10 in", 70, "inches"),
        ("-2 h 30 min", -150, "min"),
        ("2h30", 150, "min"),
        ("2:15 hours", 135, "min"),
        ("2:15:30 hours", Fraction(271, 2), "min"),
        ("5 metres squared", 5, "m²"),
        ("5 Quadratmeter", 5, "m²"),
        ("12.3 ± 0.2 mm", Fraction(123, 10), "mm"),
        ("三万五千円", 35_000, "JPY"),
        ("百分之五十", 50, "%"),
        ("60 miles per hour", 60, "mph"),
        ("5 L/100 km", 5, "L/100 km"),
        ("9 kg m^-3", 9, "kg/m^3"),
    ],
)
def test_a_quantity_has_a_unit(text: str, value: object, unit: str) -> None:
    (quantity,) = quantities_in(text)
    assert quantity.values == (value,)
    assert quantity.units
    assert quantity.units[0] == units_named(unit)[0]
    assert quantity.end == len(text)


@pytest.mark.parametrize("text", ["5 bananas", "5 furlonges", "5 units^2", "5 mw"])
def test_an_unknown_unit_is_empty(text: str) -> None:
    (quantity,) = quantities_in(text)
    assert quantity.units == ()


@pytest.mark.parametrize("text", ["5", "5 in total", "5 of them", "5, metres", "5.", "5 is"])
def test_a_number_may_have_no_unit(text: str) -> None:
    assert quantities_in(text)[0].units is None


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("1989年11月9日", 1989),
        ("September 2, 1945", 1945),
        ("2nd of September 1945", 1945),
        ("2. Mai 1945", 1945),
        ("1945-09-02", 1945),
        ("02.09.1945", 1945),
    ],
)
def test_a_date_is_one_quantity(text: str, year: int) -> None:
    (quantity,) = quantities_in(text)
    assert (quantity.values, quantity.is_date) == ((year,), True)


@pytest.mark.parametrize("text", ["It is 10:30.", "CO2", "Vitamin B12", "1.2.3", "13:45"])
def test_some_digits_are_no_quantity(text: str) -> None:
    assert [q for q in quantities_in(text) if q.values] == []


def test_both_numbers_of_a_score_are_kept() -> None:
    (quantity,) = quantities_in("7/10")
    assert (quantity.over, quantity.under) == (7, 10)


def test_one_in_six_is_a_share() -> None:
    assert [q.values for q in quantities_in("The odds are 1 in 6.")] == [(Fraction(1, 6),)]
