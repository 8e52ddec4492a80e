"""The part of a sentence that can state its number."""

from __future__ import annotations

import pytest

from lve.checkers.extract.numerals.clauses import is_negated, main_clause, without_ranges
from lve.checkers.extract.quantities.quantity import quantities_in


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It is 7 when x is 3.", [7]),
        ("There are 3 of them: at 3, 8 and 9.", [3]),
        ("An adult has 206 bones, while a newborn has 270.", [206]),
        ("Es sind 206, während es bei der Geburt 270 sind.", [206]),
        ("While a newborn has 270, an adult has 206.", [270, 206]),
        ("Since 20 fit, she sold 6 * 20 = 120.", [6, 20, 120]),
        ("It is 7, because 20 fit, so 6 * 20 = 120.", [7, 20, 6, 20, 120]),
        ("3 and 4", [3, 4]),
    ],
)
def test_the_main_clause(text: str, values: list[int]) -> None:
    _, numbers = main_clause(text, quantities_in(text))
    assert [number.values[0] for number in numbers] == values


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("It is not 8.", True),
        ("It is more than 8.", True),
        ("It isn't exactly 8.", True),
        ("Es sind nicht 8.", True),
        ("并非8", True),
        ("It is 8.", False),
        ("Not that many: 8.", False),
        ("It is no surprise that they are 8.", False),
    ],
)
def test_what_a_number_is_denied_by(text: str, denied: bool) -> None:
    assert is_negated(text, text.index("8")) is denied


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("It is between 3 and 5.", "It is  … "),
        ("3 to 5 people", " …  people"),
        ("3-5 people", " …  people"),
        ("5 - 3 = 2", "5 - 3 = 2"),
        ("from 3 to 5", "from 3 to 5"),
        ("no range", "no range"),
    ],
)
def test_ranges_are_no_numbers(text: str, rest: str) -> None:
    assert without_ranges(text) == rest
