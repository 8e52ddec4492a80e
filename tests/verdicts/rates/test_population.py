"""Decisions about the population that instances come from."""

from __future__ import annotations

from typing import Any

import pytest
from support.results import make_result

from lve.spec.spec import Expectation
from lve.verdicts.rates.population import (
    MAX_CLUSTERS,
    ClusterCounts,
    decide_about_population,
    observed_rate,
)


@pytest.mark.parametrize(
    ("comparison", "threshold", "counts", "decision"),
    [
        (">=", 0.9, {(1, 1): 29}, "passed"),
        (">=", 0.9, {(1, 1): 28}, "inconclusive"),
        (">=", 0.9, {(30, 30): 28}, "inconclusive"),
        (">", 0.5, {(0, 3): 20, (1, 3): 2}, "failed"),
        ("<=", 0.2, {(0, 1): 20}, "passed"),
        ("<", 0.2, {(5, 5): 6}, "failed"),
        (">=", 0.9, {}, "inconclusive"),
    ],
)
def test_clusters_decide(
    comparison: Any, threshold: float, counts: dict[tuple[int, int], int], decision: str
) -> None:
    expect = Expectation("rate", comparison, threshold, claim="population")
    assert decide_about_population(expect, counts, 0) == decision


def test_errors_that_could_change_it_leave_it_open() -> None:
    expect = Expectation("rate", ">=", 0.9, claim="population")
    assert decide_about_population(expect, {(1, 1): 29}, 1) is None
    assert decide_about_population(expect, {(1, 1): 60}, 1) == "passed"


def test_an_error_belongs_to_its_cluster() -> None:
    """One more result among forty clusters changes nothing; one more cluster might."""
    expect = Expectation("rate", ">=", 0.9, claim="population", cluster="topic")
    counts = ClusterCounts("topic")
    for number in range(40 * 4):
        counts.add(make_result(verdict="passed", args={"topic": number % 40}))
    counts.add(make_result(verdict="error", args={"topic": 0}))
    assert decide_about_population(expect, counts.counts(), 1) is None
    assert counts.decide(expect) == "passed"
    counts.add(make_result(verdict="error", args={"topic": "new"}))
    assert counts.decide(expect) is None


def test_columns_with_a_value_per_row_fill_no_memory() -> None:
    counts = ClusterCounts("id")
    for number in range(MAX_CLUSTERS + 1000):
        counts.by_value[number] = [1, 1, 0]
    before = len(counts.by_value)
    for value in ("x", "y"):
        counts.add(make_result(verdict="passed", args={"id": value}))
    assert len(counts.by_value) <= before
    assert sum(counts.counts().values()) == before


@pytest.mark.parametrize("kind", ["pass", "fail"])
def test_repeats_that_are_alike_make_no_interval_narrower(kind: Any) -> None:
    """43 repeats of one row at temperature 0 are one observation."""
    alike = Expectation(kind, has_alike_repeats=True)
    rate = observed_rate(alike, 43, 43, lambda: {(43, 43): 1}, sequential=False)
    assert (rate.passed, rate.total, rate.has_bounds) == (43, 43, False)
    assert rate.low < 0.05
    once = observed_rate(alike, 10, 10, lambda: {(1, 1): 10}, sequential=False)
    assert once.low == pytest.approx(0.025**0.1)
    other = observed_rate(Expectation(kind), 43, 43, lambda: {(43, 43): 1}, sequential=False)
    assert other.low == pytest.approx(0.025 ** (1 / 43))


@pytest.mark.parametrize(
    ("comparison", "threshold", "verdict"), [("<=", 0.06, "failed"), (">=", 0.94, "passed")]
)
def test_a_result_that_is_missing_could_have_passed_or_failed(
    comparison: Any, threshold: float, verdict: str
) -> None:
    expect = Expectation("rate", comparison, threshold, claim="population", cluster="topic")
    counts = ClusterCounts("topic")
    for number in range(60):
        counts.add(make_result(verdict=verdict, args={"topic": number}))
    assert counts.decide(expect) == "passed"
    assert counts.decide(expect, missing=1) is None
