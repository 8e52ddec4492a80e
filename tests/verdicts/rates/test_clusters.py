"""Rates over clusters: instances, categories, tests."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from lve.verdicts.rates.clusters import Means, mean_interval, population_rate
from lve.verdicts.rates.statistics import pass_rate


def test_instances_that_ran_once_are_like_independent_results() -> None:
    found = population_rate({(1, 1): 180, (0, 1): 20})
    assert found is not None
    exact = pass_rate(180, 200)
    assert found.low == pytest.approx(exact.low, abs=0.003)
    assert found.high == pytest.approx(exact.high, abs=0.003)


def test_repeats_of_alike_instances_add_nothing() -> None:
    once = population_rate({(1, 1): 9, (0, 1): 1})
    often = population_rate({(50, 50): 9, (0, 50): 1})
    assert once is not None
    assert often is not None
    assert (often.low, often.high) == pytest.approx((once.low, once.high))
    assert often.clusters == 10


def test_clusters_that_never_differ_count_once_each() -> None:
    found = population_rate({(30, 30): 5})
    assert found is not None
    assert (found.low, found.high) == pytest.approx((pass_rate(5, 5).low, 1.0))
    one = population_rate({(27, 30): 1})
    assert one is not None
    assert one.low < 0.1, "one instance says next to nothing about others"
    assert one.high == 1.0 or one.high > 0.98


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
    assert covered >= 0.92 * rounds


def chance_of_instance(rate: float, alike: float, source: random.Random) -> float:
    if alike in (0.0, 1.0):
        return rate if not alike else float(source.random() < rate)
    size = (1 - alike) / alike
    return source.betavariate(rate * size, (1 - rate) * size)


def test_students_interval_is_scipys() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = [0.1, 0.4, 0.4, 0.9, 2.5]
    found = mean_interval(Means.of([(value, 1) for value in values], 5), confidence=0.9)
    assert found is not None
    expected = stats.t.interval(0.9, 4, loc=sum(values) / 5, scale=stats.sem(values))
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)
    assert mean_interval(Means.of([(1.0, 1)], 1)) is None
