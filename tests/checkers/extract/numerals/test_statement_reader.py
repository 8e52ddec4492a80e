"""The quantity that a statement states."""

from __future__ import annotations

from fractions import Fraction

import pytest

from lve.checkers.extract.numerals.statement_reader import StatementReader
from lve.checkers.extract.quantities.units import units_named


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("Then 37 + 5 = 42.", 42),
        ("Half of 30 is 15.", 15),
        ("It is 7 when x is 3.", 7),
        ("If there are 5 cats, nobody knows.", None),
        ("I can't tell which of the 5 it is.", None),
        ("It is not 8.", None),
        ("There are seven days in a week, not 8.", 7),
        ("It is 3 or 4.", None),
        ("It is between 3 and 5.", None),
        ("It has 8 of the 10.", 8),
        ("3/4 of 20 is fifteen.", 15),
        ("74 = 65 + 9", 74),
        ("12 = 84 ÷ 7.", 12),
        ("It is more than 8.", None),
        ("There are 3 of them: at 3, 8 and 9.", 3),
        ("15 people came on 2 May 2020.", 15),
        ("Apollo 11 landed on July 20, 1969.", 1969),
        ("The speed is 100 °C (212 °F).", 100),
    ],
)
def test_in_a_sentence(sentence: str, value: int | None) -> None:
    quantity = StatementReader(sentence, ()).in_sentence(sentence)
    assert (quantity and quantity.values[0]) == value


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("- 7", -7),
        ("42. It follows from 6.", 42),
        ("x = 5", 5),
        ("six, as 2 * 3 shows", 6),
        ("3.5, rounded to 4", 4),
        ("not 5 but 6", 6),
    ],
)
def test_after_a_marker(statement: str, value: int) -> None:
    quantity = StatementReader(statement, ()).in_statement(statement)
    assert quantity is not None
    assert quantity.values[0] == value


@pytest.mark.parametrize(
    ("sentence", "values"),
    [
        ("It is 26.2 miles (42.195 km) long.", [Fraction(131, 5), Fraction(8439, 200)]),
        ("3 bags weigh 5 km.", [5]),
        ("It costs 20 euros (or 3 km).", [3]),
        ("It weighs 5 kg.", []),
    ],
)
def test_only_what_can_have_the_unit_counts(sentence: str, values: list[object]) -> None:
    reader = StatementReader(sentence, units_named("km"))
    quantity = reader.in_sentence(sentence)
    assert [q.values[0] for q in (quantity, *reader.restated) if q] == values


@pytest.mark.parametrize(
    ("body", "comma"),
    [("The sum is 1,5", False), ("Der Preis ist 1,5", True), ("1,5", None), ("x ≈ 3.141", False)],
)
def test_the_language_says_what_a_comma_is(body: str, comma: bool | None) -> None:
    assert StatementReader(body, ()).comma is comma


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("9 - all of them are red", 9),
        ("4 - 2 red ones and 2 blue ones", 4),
        ("9 - 1 = 8", None),
        ("$5 - $2 = $3", None),
        ("8 - 3 = 5 apples are left", None),
        ("8 - 3 is 5", None),
        ("60 - 9\n= 51", None),
        ("60\n+ 9\n---\n69", None),
        ("1. 60\n2. 9", None),
    ],
)
def test_a_number_that_leads_is_no_term_of_a_difference(answer: str, value: int | None) -> None:
    quantity, _rest = StatementReader(answer, ()).leading(answer)
    assert (quantity and quantity.values[0]) == value
