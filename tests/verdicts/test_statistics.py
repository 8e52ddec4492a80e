"""Pass rates and what they decide."""

from __future__ import annotations

import random
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.spec.model import Expectation
from lve.verdicts.statistics import checkpoints_up_to, judge_rate, needs_more, pass_rate

# From R 4's binom.test(x, n, conf.level = level)$conf.int
KNOWN = [
    (0, 10, 0.95, 0.0, 0.3084971),
    (10, 10, 0.95, 0.6915029, 1.0),
    (8, 10, 0.95, 0.4439045, 0.9747893),
    (5, 10, 0.95, 0.1870860, 0.8129140),
    (1, 1, 0.95, 0.025, 1.0),
    (682, 925, 0.95, 0.7076683, 0.7654066),
]


@pytest.mark.parametrize(("passed", "total", "confidence", "low", "high"), KNOWN)
def test_intervals_are_clopper_and_pearsons(
    passed: int, total: int, confidence: float, low: float, high: float
) -> None:
    rate = pass_rate(passed, total, confidence=confidence)
    assert rate.low == pytest.approx(low, abs=1e-6)
    assert rate.high == pytest.approx(high, abs=1e-6)


def binomial_tail(least: int, total: int, chance: float) -> float:
    return sum(
        comb(total, k) * chance**k * (1 - chance) ** (total - k) for k in range(least, total + 1)
    )


@given(st.integers(1, 60), st.data())
def test_the_limits_are_where_the_tails_have_half_the_error_each(
    total: int, data: st.DataObject
) -> None:
    passed = data.draw(st.integers(0, total))
    confidence = data.draw(st.sampled_from([0.8, 0.95, 0.999]))
    rate = pass_rate(passed, total, confidence=confidence)
    half = (1 - confidence) / 2
    if passed:
        assert binomial_tail(passed, total, rate.low) == pytest.approx(half, rel=1e-6)
    if passed < total:
        assert 1 - binomial_tail(passed + 1, total, rate.high) == pytest.approx(half, rel=1e-6)
    assert 0 <= rate.low <= passed / total <= rate.high <= 1


def test_large_numbers_are_fast_and_right() -> None:
    rate = pass_rate(180_000, 200_000)
    assert rate.low == pytest.approx(0.898676, abs=2e-5)
    assert rate.high == pytest.approx(0.901310, abs=2e-5)


def test_no_runs_say_nothing() -> None:
    rate = pass_rate(0, 0)
    assert (rate.low, rate.high, rate.rate) == (0.0, 1.0, None)
    assert judge_rate(Expectation("rate"), 0, 0)[0] == "inconclusive"


@pytest.mark.parametrize(
    ("comparison", "threshold", "passed", "total", "decision"),
    [
        (">=", 0.9, 100, 100, "passed"),
        (">=", 0.9, 10, 10, "inconclusive"),
        (">=", 0.9, 50, 100, "failed"),
        (">", 0.5, 61, 100, "passed"),
        (">", 0.5, 60, 100, "inconclusive"),
        ("<=", 0.1, 0, 100, "passed"),
        ("<=", 0.1, 5, 100, "inconclusive"),
        ("<", 0.1, 50, 100, "failed"),
        (">=", 1.0, 1000, 1000, "inconclusive"),
        (">=", 0.0, 0, 5, "passed"),
        ("<", 0.0, 0, 5, "failed"),
        (">", 1.0, 5, 5, "failed"),
        ("<=", 1.0, 5, 5, "passed"),
    ],
)
def test_a_rate_is_judged_by_its_whole_interval(
    comparison: str, threshold: float, passed: int, total: int, decision: str
) -> None:
    expect = Expectation("rate", comparison, threshold)  # type: ignore[arg-type]
    assert judge_rate(expect, passed, total)[0] == decision


def test_more_confidence_needs_more_runs() -> None:
    sure = Expectation("rate", ">=", 0.8, confidence=0.999)
    assert judge_rate(Expectation("rate", ">=", 0.8), 19, 19)[0] == "passed"
    assert judge_rate(sure, 19, 19)[0] == "inconclusive"


def test_looks_double_and_end_with_the_last_repeat() -> None:
    assert checkpoints_up_to(30) == (7, 15, 30)
    assert checkpoints_up_to(1) == (1,)
    assert all(points[-1] == n for n in range(1, 200) if (points := checkpoints_up_to(n)))


def test_clear_results_need_no_more_repeats_and_unclear_ones_do() -> None:
    expect = Expectation("rate", ">=", 0.5, max_repeats=30)
    assert not needs_more(expect, passed=15, total=15, repeats_done=15)
    assert needs_more(expect, passed=9, total=15, repeats_done=15)
    assert needs_more(expect, passed=8, total=8, repeats_done=8), "no look between the planned ones"
    assert not needs_more(expect, passed=15, total=30, repeats_done=30)
    assert not needs_more(Expectation("pass"), passed=1, total=1, repeats_done=1)


def test_errors_do_not_end_the_repeats() -> None:
    expect = Expectation("rate", ">=", 0.5, max_repeats=30)
    assert not needs_more(expect, passed=7, total=7, repeats_done=7)
    assert needs_more(expect, passed=6, total=6, errors=1, repeats_done=7), "it may have failed"
    assert not needs_more(expect, passed=14, total=14, errors=1, repeats_done=15)
    assert not needs_more(expect, passed=6, total=6, errors=24, repeats_done=30), "no more allowed"


def test_looking_early_does_not_break_the_promise_of_the_confidence() -> None:
    """A model exactly at the threshold is wrongly called good or bad in at most 5 % of cases."""
    expect = Expectation("rate", ">=", 0.7, max_repeats=60)
    source = random.Random(11)
    points = checkpoints_up_to(60)
    wrong = 0
    for _ in range(400):
        passed = done = 0
        while needs_more(expect, passed, done, repeats_done=done):
            passed += source.random() < 0.7
            done += 1
        wrong += judge_rate(expect, passed, done, checkpoints=len(points))[0] != "inconclusive"
    assert wrong <= 20


@pytest.mark.parametrize(
    ("passed", "total", "confidence"), [(2, 1, 0.9), (-1, 1, 0.9), (1, 1, 1.0)]
)
def test_impossible_numbers_are_refused(passed: int, total: int, confidence: float) -> None:
    with pytest.raises(ValueError):
        pass_rate(passed, total, confidence=confidence)
