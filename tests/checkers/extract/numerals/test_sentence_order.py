"""Sentences stand in the order in which they may state an answer's number."""

from __future__ import annotations

import pytest

from lve.checkers.extract.numerals.sentence_order import stating_sentences
from lve.checkers.shape.answer_parts import Shape


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It is 3. Then it is 4.", ["Then it is 4.", "It is 3."]),
        ("It is 4. It could be 5.", ["It is 4.", "It could be 5."]),
        ("So she has 9 in total. That is 3 more.", ["So she has 9 in total.", "That is 3 more."]),
        (
            "A common year has 365 days; a leap year 366.",
            ["A common year has 365 days;", "a leap year 366."],
        ),
        (
            "A common year has 365 days. Leap years have 366.",
            ["A common year has 365 days.", "Leap years have 366."],
        ),
        (
            "It has 8 moons. One was counted as the 9th until 2006.",
            ["It has 8 moons.", "One was counted as the 9th until 2006."],
        ),
        (
            "A year has 12 months; a day has 24 hours.",
            ["A year has 12 months;", "a day has 24 hours."],
        ),
        ("Not 365 days; a leap year 366.", ["a leap year 366.", "Not 365 days;"]),
        (
            "The number of moons is unknown; it may be 5.",
            ["it may be 5.", "The number of moons is unknown;"],
        ),
        ("It is 7.\n\nReferences\n[1] Smith 2019", ["It is 7."]),
        ("It is 7 (see p. 204).", ["It is 7 (see p. 204)."]),
        ("1. It is 3.\n2. It is 4.", ["It is 4.", "It is 3."]),
        ("It is 4. Let me know!", ["It is 4."]),
        ("Let me know!", ["Let me know!"]),
    ],
)
def test_the_likeliest_sentence_comes_first(text: str, sentences: list[str]) -> None:
    assert [*stating_sentences(Shape(text), counts=True)] == sentences


def test_what_is_taken_back_is_apart() -> None:
    shape = Shape("It is 3. Wait, that is wrong: it is 4.")
    assert [*stating_sentences(shape, counts=True)] == [": it is 4."]
    assert [*stating_sentences(shape, counts=False)] == ["It is 3."]


def test_nothing_is_taken_back_in_most_answers() -> None:
    assert [*stating_sentences(Shape("It is 3."), counts=False)] == []
