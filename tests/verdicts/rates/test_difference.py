from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lve.verdicts.rates.clusters import Estimate
from lve.verdicts.rates.difference import (
    difference_interval,
)
from lve.verdicts.rates.paired import Differences, paired_test


def single(pairs: int, fixed: int, broken: int) -> Differences:
    same = pairs - fixed - broken
    return {(1, 1): fixed, (-1, 1): broken, (0, 1): same}


def interval(differences: Differences, confidence: float = 0.95) -> Estimate:
    estimate = difference_interval(differences, paired_test(differences).p, confidence=confidence)
    assert estimate is not None
    return estimate


@pytest.mark.parametrize(("pairs", "fixed", "broken"), [(44, 0, 1), (30, 9, 3), (100, 0, 0)])
def test_the_ends_of_the_interval_are_those_of_the_score_test(
    pairs: int, fixed: int, broken: int
) -> None:
    """At both ends the constrained likelihood, which scipy finds, gives a score of 1.96."""
    optimize = pytest.importorskip("scipy.optimize")
    found = interval(single(pairs, fixed, broken))

    def score(delta: float) -> float:
        """Of b = P(broken), f = b + delta, with the most likely b."""

        def slope(b: float) -> float:
            rest = 1 - 2 * b - delta
            return fixed / (b + delta) + broken / b - 2 * (pairs - fixed - broken) / rest

        least, most = max(0.0, -delta) + 1e-13, (1 - delta) / 2 - 1e-13
        b = optimize.brentq(slope, least, most, xtol=1e-16) if slope(least) > 0 else least
        variance = (2 * b + delta - delta**2) / pairs
        return float(((fixed - broken) / pairs - delta) / variance**0.5)

    assert score(found.low) == pytest.approx(1.959964, abs=1e-5)
    assert score(found.high) == pytest.approx(-1.959964, abs=1e-5)


def test_an_interval_without_a_flip_is_as_wide_as_the_number_of_clusters_allows() -> None:
    apart = interval(single(100, 0, 0))
    assert -0.04 < apart.low < 0 < apart.high < 0.04
    alike = interval({(0, 10): 100})
    assert -0.12 < alike.low < apart.low, "the spread of repeats isn't known to be small"


def test_no_pairs_have_no_difference() -> None:
    assert difference_interval({}, 1.0) is None


def test_pairs_that_are_alike_tell_less() -> None:
    """Ten instances that flip wholly, of fifty with ten repeats; and a hundred single flips."""
    alike = interval({(-10, 10): 10, (0, 10): 40})
    apart = interval({(-2, 10): 50})
    assert alike.value == apart.value == -0.2
    assert alike.high - alike.low > 1.5 * (apart.high - apart.low)


@pytest.mark.parametrize(
    "differences",
    [
        {(1, 1): 0, (-1, 1): 5},  # p 0.062, although Tango's interval ends at -0.43
        {(-1, 1): 5, (0, 1): 1},
        {(-3, 3): 6, (-1, 3): 3},  # p 0.004, although the betting interval has room for 0
        {(-3, 3): 7, (3, 3): 1},
        {(3, 3): 7, (-1, 3): 1},
        {(0, 4): 9},
    ],
)
def test_interval_and_p_value_never_contradict_each_other(differences: Differences) -> None:
    p, estimate = paired_test(differences).p, interval(differences)
    if p > 0.05:
        assert estimate.low <= 0 <= estimate.high
        return
    assert estimate.low >= 0 or estimate.high <= 0
    assert (estimate.low >= 0) == (estimate.value > 0)


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(-4, 4)), min_size=1, max_size=12),
    st.integers(0, 11),
)
def test_no_end_rises_if_an_answer_gets_worse(clusters: list[tuple[int, int]], which: int) -> None:
    changes = [max(-pairs, min(pairs, change)) for pairs, change in clusters]
    sizes = [pairs for pairs, _ in clusters]
    which %= len(sizes)
    assume(changes[which] > -sizes[which])
    better = interval(Counter(zip(changes, sizes, strict=True)))
    changes[which] -= 1
    worse = interval(Counter(zip(changes, sizes, strict=True)))
    assert worse.low <= better.low + 1e-9
    assert worse.high <= better.high + 1e-9


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("alike", [0.0, 0.5, 1.0])
def test_the_interval_covers_the_true_difference(rate: float, alike: float) -> None:
    """400 samples of 40 instances with 5 repeats, of which a share repeats the first."""
    source = random.Random(5)
    covered = 0
    for _ in range(400):
        clusters: Counter[tuple[int, int]] = Counter()
        for _ in range(40):
            drawn = [_flip(source, rate) for _ in range(5)]
            values = [drawn[0] if source.random() < alike else one for one in drawn]
            clusters[sum(values), 5] += 1
        found = interval(clusters)
        covered += found.low <= -rate / 2 <= found.high
    assert covered / 400 >= 0.95


def _flip(source: random.Random, rate: float) -> int:
    """Return -1 (broken) with 3/4 of the rate, 1 (fixed) with a quarter of it."""
    drawn = source.random()
    return -1 if drawn < 0.75 * rate else 1 if drawn < rate else 0


def test_the_strictest_alpha_among_many_tests_is_computed() -> None:
    differences = {(-1, 1): 300, (1, 1): 250, (0, 1): 450}
    assert interval(differences, confidence=1 - 1e-9)
