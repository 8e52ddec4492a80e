"""The difference of two pass rates of the same instances, and the smallest detectable difference.

The interval contains every difference that a test of it doesn't reject. For 0 that is the exact
test that gives the p value (`paired`), so the interval leaves out 0 just if the p value says so.
For other differences it is Tango's score test of paired rates (Stat. Med. 17, 1998, pp. 891-908),
which is valid for few pairs and if nothing has changed. Pairs of one cluster are correlated; the
mean of the clusters' differences has a betting interval (`betting`), which is valid for any
distribution of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from lve.verdicts.rates.beta import beta_quantile, normal_quantile
from lve.verdicts.rates.betting import mean_bounds
from lve.verdicts.rates.clusters import Estimate, Means
from lve.verdicts.rates.paired import Differences, mcnemar

POWER = 0.8
"""The probability of finding the smallest detectable difference."""


class PairCounts(NamedTuple):
    """Counts of pairs of results, each with one from before and one from now."""

    pairs: int
    fixed: int
    """Failed before, pass now."""
    broken: int
    """Passed before, fail now."""


def difference_interval(
    differences: Differences, p: float, *, confidence: float = 0.95
) -> Estimate | None:
    """Return the mean difference of clusters with its interval; None without pairs.

    Args:
        differences: of the clusters.
        p: the two-sided p value of the hypothesis that the difference is 0.
        confidence: of the interval.
    """
    clusters = sum(differences.values())
    if not clusters:
        return None
    tail = (1 - confidence) / 2
    shares = [(change / pairs, times) for (change, pairs), times in differences.items()]
    mean = math.fsum(share * times for share, times in shares) / clusters
    if any(pairs > 1 for _, pairs in differences):
        bounds = mean_bounds([((share + 1) / 2, times) for share, times in shares], tail)
        low, high = (2 * bound - 1 for bound in bounds)
    else:
        fixed, broken = (differences.get((sign, 1), 0) / clusters for sign in (1, -1))
        low = _tango(fixed, broken, clusters, tail, is_low=True)
        high = _tango(fixed, broken, clusters, tail, is_low=False)
    estimate = Estimate(mean, min(low, mean), max(high, mean), confidence, clusters)
    return _agreeing(estimate, is_significant=p <= 1 - confidence)


def _agreeing(estimate: Estimate, *, is_significant: bool) -> Estimate:
    """Return the estimate with 0 inside its interval just if it isn't significant."""
    low, high = estimate.low, estimate.high
    if not is_significant:
        return estimate._replace(low=min(low, 0.0), high=max(high, 0.0))
    if estimate.value < 0:
        return estimate._replace(high=min(high, 0.0))
    return estimate._replace(low=max(low, 0.0))


def _tango(fixed: float, broken: float, number: float, tail: float, *, is_low: bool) -> float:
    """Return an end of Tango's interval, by bisection of the score.

    Args:
        fixed: share of the pairs.
        broken: share of the pairs.
        number: effective number of independent pairs.
        tail: probability of a difference beyond this end.
        is_low: whether to return the lower end.
    """
    if not is_low:
        return -_tango(broken, fixed, number, tail, is_low=True)
    quantile = normal_quantile(1 - tail)
    low, high = -1.0, fixed - broken
    for _ in range(60):
        middle = (low + high) / 2
        if _score(fixed, broken, number, middle) > quantile:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _score(fixed: float, broken: float, number: float, delta: float) -> float:
    """Return the score statistic: by how many standard errors the observed difference exceeds
    `delta`."""
    a, c = 2.0, -broken * delta * (1 - delta)
    b = -fixed - broken + (2 - fixed + broken) * delta
    likely = (math.sqrt(max(b * b - 4 * a * c, 0.0)) - b) / (2 * a)
    variance = max(2 * likely + delta * (1 - delta), 0.0) / number
    distance = fixed - broken - delta
    return distance / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, distance)


def min_significant_changes(alpha: float) -> int:
    """Return the smallest number of clusters that is significant if all change in one direction."""
    number = 1
    while mcnemar(number, 0) > alpha:
        number += 1
    return number


def min_detectable_drop(
    differences: Differences, *, alpha: float, power: float = POWER
) -> float | None:
    """Return the smallest drop of the rate that a comparison like this one detects; None if a drop
    of all clusters wouldn't be significant.

    It is the larger one of two results: the normal approximation with the variance of these
    differences (Miettinen, Biometrics 24, 1968), and the exact result if clusters only get worse.

    Args:
        differences: of the clusters.
        alpha: level of significance.
        power: probability of detecting the drop.
    """
    clusters = sum(differences.values())
    least = min_significant_changes(alpha)
    if clusters < least:
        return None
    values = ((change / number, times) for (change, number), times in differences.items())
    variance = Means.of(values).variance
    one_way = beta_quantile(power, least, clusters - least + 1)
    if variance <= 0:
        return one_way
    # One pair that changes is enough to change its cluster.
    pairs = sum(number * times for (_, number), times in differences.items()) / clusters
    one_way = -math.expm1(math.log1p(-one_way) / pairs)
    # The drop itself adds to the variance: drop² = quantiles² (variance + drop / all pairs).
    quantiles = normal_quantile(power) - normal_quantile(alpha / 2)
    half = quantiles * quantiles / (clusters * pairs) / 2
    both_ways = half + math.sqrt(half * half + quantiles * quantiles * variance)
    found = max(one_way, both_ways)
    return found if found <= 1 else None
