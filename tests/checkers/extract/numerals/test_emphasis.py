"""The bold number of an answer; tests/cases/verdicts/number.json has more."""

from __future__ import annotations

import pytest

from lve.checkers.extract.numerals.final_number import final_numbers


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Tom is **36**, and his sister is 30.", 36),
        ("Add 4 and 6.\n\nTom is **36 years old**, and his sister is 30.", 36),
        ("**12** of them came, and 3 sent a card.\nThe party lasted 5 hours.", 12),
        ("**Step 3:** he pays 12.", 12),
        ("1. **40** points for Ann\n2. 50 points for Ben", 50),
        ("He first had **12**, so with 3 more it is 15.", 15),
        ("It isn't **12**; 15 came.", 15),
        ("He bought **12** and sold **14**; 20 are left.", 20),
    ],
)
def test_bold_numbers(text: str, number: int) -> None:
    assert final_numbers(text) == [number]
