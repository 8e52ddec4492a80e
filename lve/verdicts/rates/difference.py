"""The difference of two pass rates of the same instances.

The interval contains every difference that a test of it doesn't reject. For 0 that is the exact
test that gives the p value (`paired`), so the interval leaves out 0 just if the p value says so.
For other differences it is Tango's score test of paired rates (Stat. Med. 17, 1998, pp. 891-908),
which is valid for few pairs and if nothing has changed. Pairs of one cluster are correlated; the
mean of the clusters' differences has a betting interval (`betting`), which is valid for any
distribution of them.
"""

from __future__ import annotations

import math

from lve.named_tuples import NamedTuple
from lve.verdicts.rates.beta import normal_quantile
from lve.verdicts.rates.betting_bounds import mean_bounds
from lve.verdicts.rates.clusters import Estimate
from lve.verdicts.rates.paired import Differences


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
