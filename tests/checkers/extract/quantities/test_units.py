"""Amounts in another unit."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from support.judging import judge_answers, judge_of

from lve.checkers.extract.quantities.units import converted, read_units, units_by_name, units_named
from lve.errors import SpecError


@pytest.mark.parametrize(
    ("number", "unit", "passes", "fails"),
    [
        (5, "km", "5 km", "5 m"),
        (5, "km", "5 km", "5 km / 0 h"),
        (5, "km", "The distance is **5,000 metres**.", "It is 5.5 kilometers."),
        (5, "km", "5000 m, i.e. 5 km", "5 kg"),
        (5, "km", "about 5", "5 hours"),
        (5, "km", "$5\\,\\text{km}$", "$5\\,\\text{cm}$"),
        (1.5, "h", "90 minutes", "90 seconds"),
        (90, "minutes", "1.5 hours", "1.5"),
        (90, "min", "It takes one and a half hours: 1.5 h.", "90 days"),
        (100, "°C", "212 °F", "100 °F"),
        (373.15, "kelvin", "100 degrees Celsius", "100 degrees Fahrenheit"),
        (36, "km/h", "10 m/s", "36 m/s"),
        (2, "kg", "2000 g", "2 g"),
        (2, "lb", "907.18474 g", "2 kg"),
        (1, "GB", "1,000 MB", "1000 kB"),
        (2, "GiB", "2048 MiB", "2000 MiB"),
        (3, "m²", "30000 cm²", "300 cm2"),
        (3, "square metres", "30000 cm^2", "3 cubic meters"),
        (4, "kWh", "4000 Wh", "4000 W"),
        (0.5, "$", "50 cents", "50"),
        (5, "km", "five kilometres", "five metres"),
        (5, "km", "It's 3.10686 miles (5 km).", "5 km is too far: it's 5 miles (8 km)."),
        (5, "kg", "5 kilos", "5 bananas"),
        (5, "kg", "5 000 g", "5 €"),
        (5, "km", "5,000 metres", "5 furlongs"),
        (20, "$", "20 US dollars", "20 euros"),
        (20, "$", "$20", "¥20"),
        (20, "EUR", "€20", "$20"),
        (20, "€", "2000 cents", "20 cents"),
        (20, "£", "20 pounds", "20 dollars"),
        (20, "lb", "20 pounds", "20 dollars"),
        (20, "CAD", "20 Canadian dollars", "20 Australian dollars"),
        (5, "MW", "5000 kW", "5 mW"),
        (5, "mW", "0.005 W", "5 MW"),
        (8, "Mb", "1 MB", "8 MB"),
        (90, "min", "1 h 30 min", "30 min and 1 h"),
        (90, "min", "an hour and a half", "half an hour"),
        (90, "min", "1 h 30", "1:30"),
        (5, "kg", "It weighs 5 kg, which is 11 pounds.", "11 kg are 5 pounds."),
        (20, "°C", "It was 20 degrees.", "20 °F"),
        (5, "$", "USD5", "CA$5"),
        (5, "N", "5 kg m/s^2", "5 kg m"),
        (15, "s", "0.25 minutes", "1 minute and 15 seconds"),
        (2, "m²", "20,000 cm²", "2 m"),
        (20, "%", "20 percent", "20 kg"),
        (42.195, "km", "A marathon is about 26.2 miles (42.195 km) long.", "26.2 km (42.195 mi)"),
    ],
)
def test_an_amount_counts_in_any_unit(
    number: float, unit: str, passes: str, fails: str, tmp_path: Path
) -> None:
    judge = judge_of({"number": number, "unit": unit}, tmp_path)
    assert judge_answers(judge, passes).outcome == "passed", judge_answers(judge, passes).reason
    assert judge_answers(judge, fails).outcome == "failed"


def test_a_number_with_two_readings_has_two_amounts(tmp_path: Path) -> None:
    judge = judge_of({"number": 5, "unit": "km"}, tmp_path)
    assert judge_answers(judge, "5.000 m").passed
    assert judge_answers(judge_of({"number": 0.005, "unit": "km"}, tmp_path), "5.000 m").passed


def test_a_huge_amount_is_converted(tmp_path: Path) -> None:
    judge = judge_of({"number": 5, "unit": "m/s"}, tmp_path)
    assert judge_answers(judge, "1e400 km/h").outcome == "failed"


@pytest.mark.parametrize(
    "name", ["kilometres", "Hours", "square meters", "m2", "° c", "KM/H", "N·m", "J/kg"]
)
def test_names_of_units_are_understood(name: str) -> None:
    assert units_named(name)


@pytest.mark.parametrize("name", ["mw", "parsecs per", "kilomters", "", "in the", "5 km"])
def test_other_names_are_unknown(name: str) -> None:
    assert units_named(name) == ()


def test_a_ratio_to_what_is_no_unit_leaves_the_unit() -> None:
    assert read_units("km per (trip)", 0) == (units_named("km"), 2)
    assert read_units("km per trip", 0)[0] == ()


def test_a_unit_is_converted_to_one_of_its_kind() -> None:
    value = Fraction(36)
    assert converted(value, units_named("km/h"), units_named("m/s")) == 10
    assert converted(value, units_named("km/h"), units_named("m")) is None
    assert converted(Fraction(212), units_named("°F"), units_named("°C")) == 100


def test_of_a_very_long_answer_the_ends_are_read(tmp_path: Path) -> None:
    judge = judge_of({"number": 7, "unit": "km"}, tmp_path)
    assert judge_answers(judge, f"<think>{'5 km ' * 50_000}</think>7 km").passed
    assert judge_answers(judge, f"{'1 km, ' * 50_000}\nThe answer is 7000 m.").passed


def test_all_names_have_a_meaning() -> None:
    assert all(units_by_name().values())
    assert len(units_by_name()) > 1000


def test_an_unknown_unit_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"unknown unit 'kilomters'.*did you mean"):
        judge_of({"number": 5, "unit": "kilomters"}, tmp_path)
