"""Pass rates, their bounds and their verdicts."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.spec.spec import Expectation
from lve.verdicts.rates.statistics import judge_rate, pass_rate, rate_bounds

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
    assert judge_rate(Expectation("rate"), 0, 0) == "inconclusive"


@pytest.mark.parametrize(
    ("comparison", "threshold", "passed", "total", "decision"),
    [
        (">=", 0.9, 100, 100, "passed"),
        (">=", 0.9, 10, 10, "inconclusive"),
        (">=", 0.9, 50, 100, "failed"),
        (">", 0.5, 59, 100, "passed"),
        (">", 0.5, 58, 100, "inconclusive"),
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
    assert judge_rate(expect, passed, total) == decision


def test_more_confidence_needs_more_runs() -> None:
    sure = Expectation("rate", ">=", 0.8, confidence=0.999)
    assert judge_rate(Expectation("rate", ">=", 0.8), 19, 19) == "passed"
    assert judge_rate(sure, 19, 19) == "inconclusive"


def test_the_bounds_agree_with_the_decision() -> None:
    """What has passed has no rate within its bounds that would fail."""
    for sequential in (False, True):
        expect = Expectation("rate", ">=", 0.9)
        for passed in range(101):
            decision = judge_rate(expect, passed, 100, sequential=sequential)
            rate = rate_bounds(passed, 100, sequential=sequential)
            assert (decision == "passed") == (rate.low >= 0.9), passed
            assert (decision == "failed") == (rate.high < 0.9), passed


def test_each_bound_of_a_decision_has_the_whole_confidence() -> None:
    assert rate_bounds(29, 29).low == pytest.approx(0.05 ** (1 / 29))
    assert str(rate_bounds(29, 29)) == "29/29 = 1 (at least 0.901 with 95 % confidence)"
    assert str(pass_rate(29, 29)) == "29/29 = 1 (95 % interval 0.881 to 1.000)"


@pytest.mark.parametrize("sequential", [False, True])
def test_bounds_exist_for_all_counts(sequential: bool) -> None:
    for total in (0, 1, 7, 1000, 10**6):
        for passed in {0, total // 3, total}:
            rate = rate_bounds(passed, total, confidence=0.5, sequential=sequential)
            assert 0 <= rate.low <= rate.high <= 1


@pytest.mark.parametrize(
    ("passed", "total", "confidence"), [(2, 1, 0.9), (-1, 1, 0.9), (1, 1, 1.0)]
)
def test_impossible_numbers_are_refused(passed: int, total: int, confidence: float) -> None:
    for rate_of in (pass_rate, rate_bounds):
        with pytest.raises(ValueError):
            rate_of(passed, total, confidence=confidence)
