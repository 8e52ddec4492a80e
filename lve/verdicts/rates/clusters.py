"""Means over clusters, with intervals for the population that the clusters are a sample of.

Repeats of one instance are correlated, and so are rows of one category: they have less information
than as many independent results. So the cluster is the unit. The interval of a rate is that of Korn
and Graubard (Survey Methodology 24, 1998, pp. 193-201): Clopper and Pearson's for the effective
sample size, which follows from the variance between clusters. Unlike Student's interval and the
cluster bootstrap, it is valid for few clusters and for rates near 0 and 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lve.verdicts.rates.beta import beta_quantile, normal_quantile, t_quantile
from lve.verdicts.wording import bound

Counts = Mapping[tuple[int, int], int]
"""(passed, judged) -> number of clusters with these results."""


class Estimate(NamedTuple):
    """A mean with a confidence interval or one-sided confidence bounds."""

    value: float
    low: float
    high: float
    confidence: float
    clusters: int
    """Number of independent units."""
    has_bounds: bool = False
    """As in `Rate`."""

    def __str__(self) -> str:
        percent = f"{self.confidence * 100:g} %"
        what, join = ("bounds", "and") if self.has_bounds else ("interval", "to")
        return f"{self.value:.3g} ({percent} {what} {bound(self.low)} {join} {bound(self.high)})"

    def to_json(self, units: str) -> dict[str, float]:
        """Return it as in reports; `units` is the key for the number of clusters, like `tests`."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "confidence": self.confidence,
            units: self.clusters,
        }


class Means(NamedTuple):
    """The mean of the clusters' means, with its variance."""

    clusters: int
    """Number of clusters."""
    mean: float
    variance: float
    """Variance of `mean`; 0 for a single cluster."""
    results: int
    """Number of results in all clusters."""

    @classmethod
    def of(cls, values: Iterable[tuple[float, int]], results: int) -> Means:
        """Compute mean and variance.

        Args:
            values: pairs of a mean and the number of clusters with this mean.
            results: number of results in all clusters.
        """
        known = list(values)
        count = sum(times for _, times in known)
        mean = math.fsum(value * times for value, times in known) / count if count else 0.0
        spread = math.fsum((value - mean) ** 2 * times for value, times in known)
        return cls(count, mean, spread / (count - 1) / count if count > 1 else 0.0, results)


def population_rate(
    counts: Counts, *, confidence: float = 0.95, has_bounds: bool = False
) -> Estimate | None:
    """Return the pass rate of the population of the clusters; None without results.

    Args:
        counts: results of the clusters.
        confidence: of the interval.
        has_bounds: whether to compute one-sided bounds instead of an interval.
    """
    return share_interval(cluster_means(counts), confidence=confidence, has_bounds=has_bounds)


def cluster_means(counts: Counts) -> Means:
    """Return the means of clusters with these results, without clusters that have none."""
    judged = {key: times for key, times in counts.items() if key[1]}
    results = sum(total * times for (_, total), times in judged.items())
    values = ((passed / total, times) for (passed, total), times in judged.items())
    return Means.of(values, results)


def share_interval(
    means: Means, *, confidence: float = 0.95, has_bounds: bool = False
) -> Estimate | None:
    """Return the mean of shares between 0 and 1 with Korn and Graubard's interval; None without
    clusters.

    Args:
        means: of the clusters.
        confidence: of the interval.
        has_bounds: whether to compute one-sided bounds instead of an interval.
    """
    if not means.clusters:
        return None
    tail = (1 - confidence) / (1 if has_bounds else 2)
    number = _effective_sample_size(means, tail)
    passed = min(max(means.mean, 0.0), 1.0) * number
    failed = max(number - passed, 0.0)
    low = beta_quantile(tail, passed, failed + 1) if passed > 0 else 0.0
    high = beta_quantile(1 - tail, passed + 1, failed) if failed > 0 else 1.0
    return Estimate(means.mean, low, high, confidence, means.clusters, has_bounds)


def effective_sample_size(means: Means, *, confidence: float = 0.95) -> float:
    """Return the number of independent results with as much information as these clusters."""
    if means.results == means.clusters:  # One result each.
        return float(means.results)
    return _effective_sample_size(means, (1 - confidence) / 2)


def _effective_sample_size(means: Means, tail: float) -> float:
    """Return the effective sample size for a tail probability. If clusters don't differ at all,
    their variance is unknown; then it is the number of clusters."""
    if means.clusters < 2 or means.variance <= 0:
        return float(means.clusters)
    number = min(means.mean * (1 - means.mean) / means.variance, means.results)
    return max(number * few_clusters_factor(tail, means.clusters), 1.0)


def few_clusters_factor(tail: float, clusters: int) -> float:
    """Return the factor of an effective sample size that corrects for a variance estimated from few
    clusters: the squared ratio of the normal and Student's quantile."""
    ratio = normal_quantile(1 - tail) / t_quantile(1 - tail, clusters - 1)
    return ratio * ratio


def mean_interval(means: Means, *, confidence: float = 0.95) -> Estimate | None:
    """Return a mean of any numbers with Student's interval over the clusters; None for fewer than
    two clusters or infinite numbers."""
    if means.clusters < 2 or not math.isfinite(means.variance):
        return None
    quantile = t_quantile((1 + confidence) / 2, means.clusters - 1)
    half = quantile * math.sqrt(means.variance)
    return Estimate(means.mean, means.mean - half, means.mean + half, confidence, means.clusters)
