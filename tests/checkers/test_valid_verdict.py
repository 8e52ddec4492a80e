"""What checkers return: only what can be written and counted becomes a verdict."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.checkers.contract import Verdict
from lve.checkers.valid_verdict import (
    MAX_REASON,
    MAX_SCORE,
    MAX_WHOLE_REASON,
    checked_verdict,
    cut_reason,
    valid_verdict,
)
from lve.errors import CheckerError

INFINITY = float("inf")


class Hostile:
    def __float__(self) -> float:
        raise RuntimeError

    def __repr__(self) -> str:
        return "hostile" * 1000


class Sub(Verdict):
    __slots__ = ()


def verdict(outcome: Any = "passed", reason: Any = "why", score: Any = None) -> Verdict:
    return Verdict(outcome, reason, score)


def test_a_valid_verdict_stays_as_it_is() -> None:
    for score in (None, 0.0, 1.0, -0.25, MAX_SCORE):
        one = verdict(score=score)
        assert valid_verdict(one) is one


@pytest.mark.parametrize(
    "score",
    [float("nan"), INFINITY, -INFINITY, 1_000_001.0, -1_000_001, 10**400, 10**5000, "0.5", b"1",
     [1], {}, 1j, Hostile(), Decimal("NaN"), numpy.float32("nan"), numpy.float64("inf"), object()],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_a_score_is_a_finite_number(score: object) -> None:
    with pytest.raises(ValueError, match="a score that is no number") as caught:
        valid_verdict(verdict(score=score))
    assert len(str(caught.value)) < 150


@pytest.mark.parametrize(
    "score", [1, True, Decimal("1"), Fraction(1), numpy.float32(1), numpy.float64(1), numpy.int8(1)]
)
def test_a_number_of_another_type_becomes_a_float(score: object) -> None:
    checked = valid_verdict(verdict(score=score))
    assert checked.score == 1
    assert type(checked.score) is float


@pytest.mark.parametrize("outcome", ["pass", None, True, 1, [], "PASSED", Hostile()])
def test_the_outcome_is_one_of_four(outcome: object) -> None:
    with pytest.raises(ValueError, match="which is none of passed, failed") as caught:
        valid_verdict(verdict(outcome))
    assert len(str(caught.value)) < 150


@pytest.mark.parametrize("other", [None, True, "passed", {"outcome": "passed"}, ("passed", "", 1)])
def test_anything_else_is_no_verdict(other: object) -> None:
    with pytest.raises(ValueError, match="no verdict: "):
        valid_verdict(other)
    with pytest.raises(CheckerError, match="gave no verdict: "):
        checked_verdict(other)


@pytest.mark.parametrize(("reason", "text"), [(None, "None"), (1, "1"), (["a"], "['a']")])
def test_a_reason_is_a_text(reason: object, text: str) -> None:
    assert valid_verdict(Sub("failed", reason, 0.5)) == verdict("failed", text, 0.5)  # type: ignore[arg-type]
    assert type(valid_verdict(Sub("failed", ""))) is Verdict


def test_a_long_reason_is_cut_and_says_so() -> None:
    reason = valid_verdict(verdict(reason="x" * 50_000_000)).reason
    assert len(reason) == MAX_WHOLE_REASON
    assert reason.endswith("xxx... (cut, of 50,000,000 characters)")


@given(st.text(max_size=60), st.integers(40, 60))
def test_a_cut_text_is_never_longer(text: str, most: int) -> None:
    cut = cut_reason(text, most)
    assert len(cut) <= most
    assert cut == text or len(text) > most


def test_a_reason_of_the_longest_length_is_whole() -> None:
    assert cut_reason("x" * MAX_REASON) == "x" * MAX_REASON


def test_parts_are_few_finite_numbers() -> None:
    good = {"bleu": (1.0, -2.5)}
    assert valid_verdict(Verdict("passed", parts=good)).parts is good
    bad: list[Any] = [
        [("bleu", (1.0,))],
        {"bleu": [1.0]},
        {"bleu": (1,)},
        {"bleu": (float("nan"),)},
        {"bleu": (2e12,)},
        {"x" * 41: (1.0,)},
        {7: (1.0,)},
        {"bleu": (1.0,) * 65},
        {f"m{n}": (1.0,) for n in range(9)},
    ]
    for parts in bad:
        assert valid_verdict(Verdict("passed", parts=parts)).parts is None, parts
