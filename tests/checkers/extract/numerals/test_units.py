"""Amounts in another unit."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.judging import judge_answers, judge_of

from lve.checkers.extract.numerals.units import UNITS, in_unit, unit_named
from lve.errors import SpecError


@pytest.mark.parametrize(
    ("number", "unit", "passes", "fails"),
    [
        (5, "km", "5 km", "5 m"),
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


@pytest.mark.parametrize("name", ["kilometres", "Hours", "square meters", "m2", "° c", "KM/H"])
def test_names_of_units_are_understood(name: str) -> None:
    assert unit_named(name) is not None


def test_of_a_very_long_answer_the_ends_are_read(tmp_path: Path) -> None:
    km = UNITS["km"]
    assert all(len(text) < 50_000 for text in in_unit("1 km, " * 100_000, km))
    assert in_unit(f"<think>{'5 km ' * 50_000}</think>7 km", km) == [" 7"]
    judge = judge_of({"number": 7, "unit": "km"}, tmp_path)
    assert judge_answers(judge, f"{'1 km, ' * 50_000}\nThe answer is 7000 m.").passed


def test_no_unit_is_named_twice() -> None:
    assert unit_named("parsec") is None
    assert {unit.dimension for unit in UNITS.values()} >= {"length", "time", "temperature"}


def test_an_unknown_unit_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"unknown unit 'kilomters'.*did you mean"):
        judge_of({"number": 5, "unit": "kilomters"}, tmp_path)
