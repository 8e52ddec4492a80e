"""Which of a sentence's numbers can be what it states."""

from __future__ import annotations

import pytest

from lve.checkers.extract.numerals.selection import (
    affirmed,
    before_adjuncts,
    is_adjunct,
    is_mark,
    result_of,
)
from lve.checkers.extract.quantities.quantity import quantities_in


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("18 apples: 12 red and 6 green", 18),
        ("18 apples, 12 red and 6 green", 18),
        ("3 rows of 4 chairs, 12 chairs in total", 12),
        ("12 chairs: 3 rows of 4", 12),
        ("18 eggs, 12 broken, so 6", 6),
        ("1, 2, 3", 3),
        ("18 apples: 12 red and 5 green", None),
        ("12 of the 18 are red and 6", None),
    ],
)
def test_a_number_of_which_others_are_parts(text: str, value: int | None) -> None:
    result = result_of(text, quantities_in(text))
    assert (result and result.values[0]) == value


def test_a_long_list_has_no_sum() -> None:
    for twos, is_sum in ((0, True), (2, False)):
        text = ", ".join(["2"] * twos + ["1"] * 38 + [str(38 + 2 * twos)])
        assert (result_of(text, quantities_in(text)) is not None) is is_sum


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("not 5 but 6", [6]),
        ("They didn't agree on 40.", []),
        ("I don't think it's 40.", []),
        ("how many of the 12 are left: 7", [7]),
        ("40 is wrong, 41 is right", [41]),
        ("40 isn't the answer", []),
        ("neither 3 nor 4: 5", [5]),
        ("It hasn't rained for 3 days", [3]),
        ("It isn't 3 or 4", []),
    ],
)
def test_denied_numbers_are_left_out(text: str, values: list[int]) -> None:
    assert [n.values[0] for n in affirmed(text, quantities_in(text))] == values


def test_a_preposition_makes_a_detail() -> None:
    text = "10 eggs for 5 people at a speed of 3, him with 2"
    adjuncts = [n.values[0] for n in quantities_in(text) if is_adjunct(text, n.start)]
    assert adjuncts == [5, 3]
    eggs = "10 eggs for 5 people"
    assert before_adjuncts(eggs, quantities_in(eggs)).values[0] == 10


def test_a_number_in_brackets_may_be_a_mark() -> None:
    text = "(1) iron (= 2)"
    assert [is_mark(text, n) for n in quantities_in(text)] == [True, False]
