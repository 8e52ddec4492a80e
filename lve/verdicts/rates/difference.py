"""The difference of two pass rates of the same instances, and the smallest detectable difference.

The interval is Tango's (Stat. Med. 17, 1998, pp. 891-908). It inverts the score test of paired
rates, so it is valid for few pairs and if nothing has changed. Pairs of one cluster are correlated,
so the interval is computed for their effective sample size. As in Korn and Graubard's interval for
one rate (`clusters`), this follows from the variance between clusters.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from lve.verdicts.rates.beta import beta_quantile, normal_quantile
from lve.verdicts.rates.clusters import Estimate, Means, few_clusters_factor
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
    counts: PairCounts, differences: Differences, *, confidence: float = 0.95
) -> Estimate | None:
    """Return the mean difference of clusters with its interval; None without pairs.

    Args:
        counts: of all pairs.
        differences: of the clusters that they form.
        confidence: of the interval.
    """
    clusters = sum(differences.values())
    if not clusters:
        return None
    tail = (1 - confidence) / 2
    means = _mean_difference(differences)
    mean = means.mean
    number = _effective_pairs(counts, means, tail)
    changed = (counts.fixed + counts.broken) / counts.pairs
    # The mean is over clusters, which have the same weight whatever their number of pairs.
    fixed = max(0.0, (changed + mean) / 2)
    broken = max(0.0, (changed - mean) / 2)
    low = _tango(fixed, broken, number, tail, is_low=True)
    high = _tango(fixed, broken, number, tail, is_low=False)
    return Estimate(mean, low, high, confidence, clusters)


def _mean_difference(differences: Differences) -> Means:
    pairs = sum(number * times for (_, number), times in differences.items())
    values = ((change / number, times) for (change, number), times in differences.items())
    return Means.of(values, pairs)


def _effective_pairs(counts: PairCounts, means: Means, tail: float) -> float:
    """Return the effective number of independent pairs. If clusters don't differ at all, their
    variance is unknown; then it is the number of clusters."""
    clusters = means.clusters
    if counts.pairs == clusters or clusters < 2 or means.variance <= 0:
        return float(clusters)
    rate = (counts.fixed - counts.broken) / counts.pairs
    independent = (counts.fixed + counts.broken) / counts.pairs - rate * rate
    number = min(max(independent, 0.0) / means.variance, counts.pairs)
    return max(number * few_clusters_factor(tail, clusters), 1.0)


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
    variance = _mean_difference(differences).variance
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
