"""Answers that say "none" where a number is asked for."""

from __future__ import annotations

import pytest

from lve.checkers.extract.numerals.final_number import final_numbers


@pytest.mark.parametrize(
    "text",
    ["None.", "Nothing", "There are no solutions.", "She has no apples left.", "**No students.**"],
)
def test_nothing_is_zero(text: str) -> None:
    assert final_numbers(text) == [0]


@pytest.mark.parametrize(
    "text",
    ["No.", "No idea.", "No worries!", "None of the above.", "There is no answer.", "null"],
)
def test_what_says_nothing_of_a_number_is_none(text: str) -> None:
    assert final_numbers(text) == []
