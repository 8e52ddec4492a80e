"""Rates over clusters: instances, categories, tests."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lve.verdicts.rates.clusters import Counts, Estimate, Means, mean_interval, population_rate
from lve.verdicts.rates.statistics import pass_rate


def test_instances_that_ran_once_have_the_exact_interval() -> None:
    estimate = population_rate({(1, 1): 180, (0, 1): 20})
    assert estimate is not None
    exact = pass_rate(180, 200)
    assert (estimate.low, estimate.high) == (exact.low, exact.high)
    bounds = population_rate({(1, 1): 180, (0, 1): 20}, has_bounds=True)
    assert bounds is not None
    assert estimate.low < bounds.low < bounds.high < estimate.high


def test_repeats_of_alike_instances_add_nothing() -> None:
    twice = rate_of({(2, 2): 9, (0, 2): 1})
    often = rate_of({(50, 50): 9, (0, 50): 1})
    once = rate_of({(1, 1): 9, (0, 1): 1})
    assert (often.low, often.high) == (twice.low, twice.high)
    assert often.low < once.low < once.high < often.high
    assert often.clusters == 10


def test_an_instance_says_next_to_nothing_about_others() -> None:
    one = rate_of({(27, 30): 1})
    assert one.low < 0.1
    assert one.high > 0.98


@pytest.mark.parametrize("passed", [100, 99, 98, 95, 90])
def test_ten_instances_never_show_more_than_ten_answers_can(passed: int) -> None:
    """99 of 100 had a lower bound of 0.946, 100 of 100 one of 0.741."""
    counts = Counter((10, 10) if index >= 100 - passed else (9, 10) for index in range(10))
    estimate = population_rate(counts, has_bounds=True)
    assert estimate is not None
    assert estimate.low <= pass_rate(10, 10, confidence=0.9).low


@given(
    st.lists(st.tuples(st.integers(1, 6), st.integers(0, 6)), min_size=1, max_size=30),
    st.integers(0, 29),
    st.sampled_from([0.5, 0.9, 0.95, 0.999]),
)
def test_no_bound_rises_if_an_answer_gets_worse(
    clusters: list[tuple[int, int]], which: int, confidence: float
) -> None:
    results = [[min(passed, total), total] for total, passed in clusters]
    which %= len(results)
    assume(results[which][0] > 0)

    def bounds() -> Estimate:
        counts = Counter((passed, total) for passed, total in results)
        estimate = population_rate(counts, confidence=confidence, has_bounds=True)
        assert estimate is not None
        return estimate

    better = bounds()
    results[which][0] -= 1
    worse = bounds()
    assert worse.low <= better.low
    assert worse.high <= better.high


@pytest.mark.parametrize("repeats", [1, 10])
@pytest.mark.parametrize("instances", [10, 30])
def test_instances_that_always_fail_are_no_reason_to_pass(instances: int, repeats: int) -> None:
    """One in twenty always fails, the others pass at 0.98. With an estimated variance, 31 % of 95 %
    bounds were above the true rate."""
    source, rounds, above, rate = random.Random(3), 400, 0, 0.95 * 0.98
    for _ in range(rounds):
        counts: Counter[tuple[int, int]] = Counter()
        for _ in range(instances):
            chance = 0.0 if source.random() < 0.05 else 0.98
            counts[sum(source.random() < chance for _ in range(repeats)), repeats] += 1
        estimate = population_rate(counts, has_bounds=True)
        assert estimate is not None
        above += estimate.low > rate
    assert above <= 0.05 * rounds


def rate_of(counts: Counts) -> Estimate:
    estimate = population_rate(counts)
    assert estimate is not None
    return estimate


def test_no_results_give_no_rate() -> None:
    assert population_rate({}) is None
    assert population_rate({(0, 0): 7}) is None


@pytest.mark.parametrize("alike", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("clusters", [5, 30])
def test_the_interval_covers_the_rate_of_the_population(clusters: int, alike: float) -> None:
    """At an intra-class correlation from 0 to 1. Without clusters, 69 % at 0.1 and 25 % at 1."""
    source, covered, rounds, rate = random.Random(7), 0, 300, 0.85
    for _ in range(rounds):
        counts: Counter[tuple[int, int]] = Counter()
        for _ in range(clusters):
            chance = chance_of_instance(rate, alike, source)
            counts[sum(source.random() < chance for _ in range(10)), 10] += 1
        found = population_rate(counts)
        assert found is not None
        covered += found.low <= rate <= found.high
    assert covered >= 0.95 * rounds


def chance_of_instance(rate: float, alike: float, source: random.Random) -> float:
    if alike in (0.0, 1.0):
        return rate if not alike else float(source.random() < rate)
    size = (1 - alike) / alike
    return source.betavariate(rate * size, (1 - rate) * size)


def test_students_interval_is_scipys() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = [0.1, 0.4, 0.4, 0.9, 2.5]
    found = mean_interval(Means.of([(value, 1) for value in values]), confidence=0.9)
    assert found is not None
    expected = stats.t.interval(0.9, 4, loc=sum(values) / 5, scale=stats.sem(values))
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)
    assert mean_interval(Means.of([(1.0, 1)])) is None


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        ([0.0, 1.0], -5.8531023681, 6.8531023681),
        ([0.2, 0.5, 0.9], -0.3390671602, 1.4057338268),
    ],
)
def test_students_interval_of_few_clusters_is_as_wide_as_tables_say(
    values: list[float], low: float, high: float
) -> None:
    """Two clusters have one degree of freedom: 12.7062 standard errors, not 1.96."""
    found = mean_interval(Means.of([(value, 1) for value in values]))
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert found.clusters == len(values)
