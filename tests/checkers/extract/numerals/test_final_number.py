"""The number that an answer settles on; tests/cases/verdicts/number.json has most cases."""

from __future__ import annotations

from fractions import Fraction

import pytest

from lve.checkers.extract.numerals.final_number import final_numbers, number_of

LONG = [
    "9" * 1_000_000,
    "9 " * 300_000,
    "1," * 300_000,
    "1.2" * 200_000,
    "=" * 300_000,
    "answer " * 100_000,
    "the answer is " * 50_000,
    "one hundred and " * 50_000,
    "- " * 300_000,
    "十" * 300_000,
    "(" * 300_000,
    "\\boxed{" * 100_000,
    "\\frac{1" * 100_000,
    "not " * 100_000,
    "wait, " * 100_000,
    "1 and " * 100_000,
    " " * 1_000_000,
    "$" * 300_000,
    "```\n" * 100_000,
]


@pytest.mark.parametrize("text", LONG, ids=lambda text: repr(text[:12]))
@pytest.mark.timeout(10)
def test_long_answers_end(text: str) -> None:
    final_numbers(text)


def test_the_end_of_a_long_answer_counts() -> None:
    assert final_numbers("Let me think about 7. " * 50_000 + "The answer is 42.") == [42]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("$18", (18,)),
        ("1,234", (1234,)),
        ("50%", (Fraction(1, 2), 50)),
        ("-3/4", (Fraction(-3, 4),)),
        ("none", ()),
        ("1 or 2", ()),
    ],
)
def test_what_a_test_may_want(text: str, values: tuple[object, ...]) -> None:
    assert number_of(text) == values
