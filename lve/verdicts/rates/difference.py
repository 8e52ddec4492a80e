"""The difference of two pass rates of the same instances, and how small a one can be seen.

The interval is Tango's (Stat. Med. 17, 1998, pp. 891-908): he inverts the score test of paired
rates, so it is right for few pairs and where nothing changed. Pairs of one cluster are alike, so
they count as the effective number of independent pairs: what the differences of clusters vary more
than those of independent pairs would, as Korn and Graubard count for one rate (`clusters`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from lve.verdicts.rates.beta import beta_quantile, normal_quantile, t_quantile
from lve.verdicts.rates.clusters import Estimate
from lve.verdicts.rates.paired import Differences, mcnemar

POWER = 0.8
"""How often the smallest detectable difference is found."""


class PairCounts(NamedTuple):
    """Pairs of results, one before and one now."""

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
    mean, variance = _moments(differences)
    number = _effective_pairs(counts, clusters, variance, tail)
    changed = (counts.fixed + counts.broken) / counts.pairs
    # Clusters count alike, whatever their number of pairs: the mean is theirs.
    fixed = max(0.0, (changed + mean) / 2)
    broken = max(0.0, (changed - mean) / 2)
    low = _tango(fixed, broken, number, tail, is_low=True)
    high = _tango(fixed, broken, number, tail, is_low=False)
    return Estimate(mean, low, high, confidence, clusters)


def _moments(differences: Differences) -> tuple[float, float]:
    """Return the mean difference of clusters, and the variance of this mean."""
    clusters = sum(differences.values())
    values = [(change / pairs, times) for (change, pairs), times in differences.items()]
    mean = math.fsum(value * times for value, times in values) / clusters
    spread = math.fsum((value - mean) ** 2 * times for value, times in values)
    return mean, spread / (clusters - 1) / clusters if clusters > 1 else 0.0


def _effective_pairs(counts: PairCounts, clusters: int, variance: float, tail: float) -> float:
    """Return how many independent pairs tell as much. Clusters that don't differ at all say nothing
    about how much they can differ: each counts once then."""
    if counts.pairs == clusters:
        return float(clusters)
    if clusters < 2 or variance <= 0:
        return float(clusters)
    rate = (counts.fixed - counts.broken) / counts.pairs
    independent = (counts.fixed + counts.broken) / counts.pairs - rate * rate
    number = min(max(independent, 0.0) / variance, counts.pairs)
    less = normal_quantile(1 - tail) / t_quantile(1 - tail, clusters - 1)
    return max(number * less * less, 1.0)


def _tango(fixed: float, broken: float, number: float, tail: float, *, is_low: bool) -> float:
    """Return an end of Tango's interval, by bisection of the score.

    Args:
        fixed: share of the pairs.
        broken: share of the pairs.
        number: of independent pairs.
        tail: chance of a difference beyond this end.
        is_low: which end.
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
    """Return by how many standard errors the observed difference is above `delta`."""
    a, c = 2.0, -broken * delta * (1 - delta)
    b = -fixed - broken + (2 - fixed + broken) * delta
    likely = (math.sqrt(max(b * b - 4 * a * c, 0.0)) - b) / (2 * a)
    variance = max(2 * likely + delta * (1 - delta), 0.0) / number
    distance = fixed - broken - delta
    return distance / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, distance)


def least_changes(alpha: float) -> int:
    """Return how many clusters must change, all in one direction, to be significant."""
    number = 1
    while mcnemar(number, 0) > alpha:
        number += 1
    return number


def detectable(differences: Differences, *, alpha: float, power: float = POWER) -> float | None:
    """Return the smallest drop of the rate that a comparison like this one finds.

    None: it would find none, since even if all clusters changed it would not be significant. It is
    what the normal distribution says if clusters change to and fro as much as these do (Miettinen,
    Biometrics 24, 1968), and at least what is found if nothing gets better, which is exact.

    Args:
        differences: of the clusters.
        alpha: level of significance.
        power: how often it is found.
    """
    clusters = sum(differences.values())
    least = least_changes(alpha)
    if clusters < least:
        return None
    _, variance = _moments(differences)
    one_way = beta_quantile(power, least, clusters - least + 1)
    if variance <= 0:
        return one_way
    # The pairs of a cluster aren't all alike: to change one of them is enough to change it.
    pairs = sum(number * times for (_, number), times in differences.items()) / clusters
    one_way = -math.expm1(math.log1p(-one_way) / pairs)
    # The drop itself makes differences vary more: drop² = quantiles² (variance + drop / all pairs).
    quantiles = normal_quantile(power) - normal_quantile(alpha / 2)
    half = quantiles * quantiles / (clusters * pairs) / 2
    both_ways = half + math.sqrt(half * half + quantiles * quantiles * variance)
    found = max(one_way, both_ways)
    return found if found <= 1 else None
