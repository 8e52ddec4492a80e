"""Numbers of sentences that leave no choice; test_plain_answers.py compares them with all rules."""

from __future__ import annotations

from fractions import Fraction

import pytest

from lve.checkers.extract.numerals.plain_sentences import computed_number, plain_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("That makes 56 dollars.", 56),
        ("The 3 boxes have 36 pencils", 36),
        ("She pays 3 * 4.50 = $13.50 in total.", Fraction("13.5")),
        ("Sold for 1,234,567.", 1_234_567),
        ("In 3 hours it has made 240 km.", 240),
    ],
)
def test_the_only_number_or_the_last_after_a_verb(text: str, value: Fraction) -> None:
    number = plain_number(text, "the")
    assert number is not None
    assert number.values == (Fraction(value),)


@pytest.mark.parametrize(
    "text",
    [
        "She sells 3 boxes of 36 pencils.",
        "It is not 36.",
        "She has a third of 36.",
        "There are 36 million.",
        "In May 2020",
        "They meet at 8 am.",
        "It is on page 12.",
        "She has 3 apples, so her 12 pears.",
        "She has 3 when it is 36.",
        "It is 3 + 4 = 7, so we get 5 more",
        "Half and hour and 40 minutes",
        "costs 3²",
        "5 = 2 + 3",
    ],
)
def test_others_are_read_by_all_rules(text: str) -> None:
    assert plain_number(text, "the") is None


def test_a_sentence_that_only_computes() -> None:
    number = computed_number("Then 37 + 5 = 42.")
    assert number is not None
    assert (number.start, number.end, number.values) == (14, 16, (Fraction(42),))
    assert computed_number("Then 37 + 5 = 42 apples.") is None
