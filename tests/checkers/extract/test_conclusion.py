"""Where an answer takes back what it said; tests/cases/verdicts has most cases."""

from __future__ import annotations

import pytest

from lve.checkers.extract.conclusion import corrected, last_boxes
from lve.checkers.extract.numerals.final_number import final_numbers
from lve.checkers.extract.settled import settled_options

TWICE = (
    "That makes 6. Wait, I forgot one: that makes 7. Hold on, two more were there: that makes 9."
)


def test_the_last_of_two_corrections_counts() -> None:
    assert corrected(TWICE) == ", two more were there: that makes 9."
    assert corrected("A is out. Actually B fits. Scratch that") == " B fits. Scratch that"


@pytest.mark.parametrize("last", ["B", "C"])
def test_what_is_read_is_what_the_last_correction_says(last: str) -> None:
    text = f"The answer is A. Wait, the answer is D. Actually, the answer is {last}."
    assert settled_options(text, "ABCD").labels == {last}
    assert final_numbers(TWICE) == [9]


def test_boxes_are_in_the_order_of_the_text() -> None:
    assert last_boxes(r"\boxed{7} is off by two: \boxed{9}") == ["7", "9"]
