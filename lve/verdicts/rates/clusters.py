"""Means over clusters, as statements about the population that the clusters come from.

Repeats of one instance are alike, and so are rows of one category: what they give is not as much as
that many independent results. So the cluster is the unit. The interval of a rate is Korn and
Graubard's (Survey Methodology 24, 1998, pp. 193-201): Clopper and Pearson's for the effective
number of independent results, which follows from how much the clusters differ. Unlike Student's
interval and the cluster bootstrap, it is right for few clusters and for rates near 0 and 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lve.verdicts.rates.beta import beta_quantile, normal_quantile, t_quantile
from lve.verdicts.wording import bound

Counts = Mapping[tuple[int, int], int]
"""(passed, judged) -> how many clusters have these results."""


class Estimate(NamedTuple):
    """A mean and the interval in which the true one lies."""

    value: float
    low: float
    high: float
    confidence: float
    clusters: int
    """How many independent units it rests on."""
    has_bounds: bool = False
    """Whether each of `low` and `high` alone holds at the confidence, as a verdict needs it."""

    def __str__(self) -> str:
        percent = f"{self.confidence * 100:g} %"
        what, join = ("bounds", "and") if self.has_bounds else ("interval", "to")
        return f"{self.value:.3g} ({percent} {what} {bound(self.low)} {join} {bound(self.high)})"

    def to_json(self, units: str) -> dict[str, float]:
        """Return it as reports write it.

        Args:
            units: what the clusters are, such as `tests`.
        """
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "confidence": self.confidence,
            units: self.clusters,
        }


class Means(NamedTuple):
    """The means of clusters, added up."""

    clusters: int
    mean: float
    variance: float
    """Of the mean over the clusters; 0 for a single cluster."""
    results: int
    """In all clusters together."""

    @classmethod
    def of(cls, values: Iterable[tuple[float, int]], results: int) -> Means:
        """Return the means of clusters.

        Args:
            values: the mean of a cluster, and how many clusters have it.
            results: in all clusters together.
        """
        known = list(values)
        count = sum(times for _, times in known)
        mean = math.fsum(value * times for value, times in known) / count if count else 0.0
        spread = math.fsum((value - mean) ** 2 * times for value, times in known)
        return cls(count, mean, spread / (count - 1) / count if count > 1 else 0.0, results)


def population_rate(
    counts: Counts, *, confidence: float = 0.95, has_bounds: bool = False
) -> Estimate | None:
    """Return the pass rate for clusters like these; None without results.

    Args:
        counts: results of the clusters.
        confidence: of the interval.
        has_bounds: whether each bound alone has the confidence, as for a verdict.
    """
    return share_interval(cluster_means(counts), confidence=confidence, has_bounds=has_bounds)


def cluster_means(counts: Counts) -> Means:
    """Return the means of clusters with these results; those without any don't count."""
    judged = {key: times for key, times in counts.items() if key[1]}
    results = sum(total * times for (_, total), times in judged.items())
    values = ((passed / total, times) for (passed, total), times in judged.items())
    return Means.of(values, results)


def share_interval(
    means: Means, *, confidence: float = 0.95, has_bounds: bool = False
) -> Estimate | None:
    """Return the mean of shares, each from 0 to 1, with Korn and Graubard's interval.

    Args:
        means: of the clusters.
        confidence: of the interval.
        has_bounds: whether each bound alone has the confidence.
    """
    if not means.clusters:
        return None
    tail = (1 - confidence) / (1 if has_bounds else 2)
    number = _effective_number(means, tail)
    passed = min(max(means.mean, 0.0), 1.0) * number
    failed = max(number - passed, 0.0)
    low = beta_quantile(tail, passed, failed + 1) if passed > 0 else 0.0
    high = beta_quantile(1 - tail, passed + 1, failed) if failed > 0 else 1.0
    return Estimate(means.mean, low, high, confidence, means.clusters, has_bounds)


def effective_number(means: Means, *, confidence: float = 0.95) -> float:
    """Return how many independent results tell as much as clusters with these means."""
    if means.results == means.clusters:  # one result each
        return float(means.results)
    return _effective_number(means, (1 - confidence) / 2)


def _effective_number(means: Means, tail: float) -> float:
    """Return how many independent results tell as much. Clusters that don't differ at all say
    nothing about how much they can differ: each counts once then."""
    if means.clusters < 2 or means.variance <= 0:
        return float(means.clusters)
    number = min(means.mean * (1 - means.mean) / means.variance, means.results)
    # The variance is estimated from few clusters, which Student's quantile accounts for.
    less = normal_quantile(1 - tail) / t_quantile(1 - tail, means.clusters - 1)
    return max(number * less * less, 1.0)


def mean_interval(means: Means, *, confidence: float = 0.95) -> Estimate | None:
    """Return a mean of any numbers with Student's interval over the clusters. None for less than
    two clusters, or where numbers are infinite."""
    if means.clusters < 2 or not math.isfinite(means.variance):
        return None
    quantile = t_quantile((1 + confidence) / 2, means.clusters - 1)
    half = quantile * math.sqrt(means.variance)
    return Estimate(means.mean, means.mean - half, means.mean + half, confidence, means.clusters)
