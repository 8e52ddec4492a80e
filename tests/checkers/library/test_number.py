"""The reasons of the checks of numbers; tests/cases/verdicts/number.json has their verdicts."""

from __future__ import annotations

import pytest

from lve.checkers.contract import CheckContext
from lve.checkers.extract.numerals.final_number import final_quantities
from lve.checkers.library.number import InRange, Number


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("<answer>42 apples</answer>", " (in its answer tag)"),
        ("<answer>zweiundvierzig</answer>", " (in its answer tag)"),
        ("\\boxed{42}", " (in its last box)"),
        ("#### 42", " (after ####)"),
        ("The answer is 42, I think.", " (where it names its answer)"),
        ("It's 41. No wait, it's 42.", " (after a correction)"),
        ("17 + 25 = 42.", ""),
        ("42", ""),
    ],
)
def test_the_reason_says_where_the_number_stands(answer: str, place: str) -> None:
    nothing = CheckContext(())
    assert Number(42).check_response(answer, nothing).reason == f"found 42{place}"
    assert Number(41).check_response(answer, nothing).reason == f"expected 41, found 42{place}"
    assert Number(40, tolerance=3).check_response(answer, nothing).reason == f"found 42{place}"
    ranged = InRange((1, 50)).check_response(answer, nothing).reason
    assert ranged == f"found 42{place}, wanted 1 to 50"


def test_the_reason_of_an_amount_says_where_it_stands() -> None:
    verdict = Number(5, unit="km").check_response("Answer: it is 5000 m, yes", CheckContext(()))
    assert verdict.reason == "found 5 (where it names its answer)"


@pytest.mark.parametrize("check", [Number(7), Number(7, unit="km"), InRange((1, 9))])
def test_an_answer_is_read_once(check: Number | InRange) -> None:
    final_quantities.cache_clear()
    check.check_response("So it is 7 km for all of them.", CheckContext(()))
    assert final_quantities.cache_info().misses == 1
