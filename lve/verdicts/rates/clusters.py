"""Means over clusters, with intervals for the population that the clusters are a sample of.

Repeats of one instance are correlated, and so are rows of one category: they have less information
than as many independent results. So the cluster is the unit. If each has one result, the interval
is the exact one of Clopper and Pearson; else it is a betting interval for the clusters' shares
(`betting`). Both hold for few clusters and for any distribution, and get no better when a result
gets worse. Intervals with an estimated variance (Student's, Korn and Graubard's) do neither.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from lve.named_tuples import NamedTuple
from lve.verdicts.rates.beta import exact_bounds, normal_quantile, t_quantile
from lve.verdicts.wording import range_text, share_text

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
        interval = range_text(self.low, self.high, self.confidence, has_bounds=self.has_bounds)
        return f"{share_text(self.value)} ({interval})"

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

    @classmethod
    def of(cls, values: Iterable[tuple[float, int]]) -> Means:
        """Compute mean and variance.

        Args:
            values: pairs of a mean and the number of clusters with this mean.
        """
        means = list(values)
        count = sum(times for _, times in means)
        mean = math.fsum(value * times for value, times in means) / count if count else 0.0
        spread = math.fsum((value - mean) ** 2 * times for value, times in means)
        return cls(count, mean, spread / (count - 1) / count if count > 1 else 0.0)


def population_rate(
    counts: Counts, *, confidence: float = 0.95, has_bounds: bool = False
) -> Estimate | None:
    """Return the pass rate of the population of the clusters; None without results.

    Args:
        counts: results of the clusters.
        confidence: of the interval.
        has_bounds: whether to compute one-sided bounds instead of an interval.
    """
    shares = cluster_shares(counts)
    if any(total > 1 for _, total in counts):
        return share_interval(shares, confidence=confidence, has_bounds=has_bounds)
    passed, clusters = counts.get((1, 1), 0), sum(times for _, times in shares)
    if not clusters:
        return None
    low, high = exact_bounds(passed, clusters, _tail(confidence, has_bounds))
    return Estimate(passed / clusters, low, high, confidence, clusters, has_bounds)


def cluster_shares(counts: Counts) -> list[tuple[float, int]]:
    """Return (share that passed, number of clusters), without clusters that have no results."""
    return [(passed / total, times) for (passed, total), times in counts.items() if total]


def share_interval(
    shares: Sequence[tuple[float, int]], *, confidence: float = 0.95, has_bounds: bool = False
) -> Estimate | None:
    """Return the mean of shares with its betting interval; None without shares.

    Args:
        shares: pairs of a share from 0 to 1, and the number of clusters that have it.
        confidence: of the interval.
        has_bounds: whether to compute one-sided bounds instead of an interval.
    """
    from lve.verdicts.rates.betting_bounds import (
        mean_bounds,  # late: only results of repeats need it
    )

    clusters = sum(times for _, times in shares)
    if not clusters:
        return None
    mean = min(math.fsum(share * times for share, times in shares) / clusters, 1.0)
    low, high = mean_bounds(shares, _tail(confidence, has_bounds))
    return Estimate(mean, min(low, mean), max(high, mean), confidence, clusters, has_bounds)


def effective_sample_size(counts: Counts, *, confidence: float = 0.95) -> float:
    """Return the number of independent results with as much information as these clusters: with as
    wide an interval."""
    results = sum(total * times for (_, total), times in counts.items())
    rate = population_rate(counts, confidence=confidence)
    if rate is None or results == rate.clusters:  # One result each.
        return float(results)
    return equivalent_sample_size(rate.value, rate.low, rate.high, confidence, most=results)


def equivalent_sample_size(
    rate: float, low: float, high: float, confidence: float, *, most: int
) -> float:
    """Return the number of independent results whose interval is as wide as this one.

    Args:
        rate: the estimate, from 0 to 1.
        low: lower end of the interval.
        high: upper end of the interval.
        confidence: of the interval.
        most: number of results that there are.
    """
    more = normal_quantile((1 + confidence) / 2) ** 2
    half = (high - low) / 2
    middle = (rate * most + more / 2) / (most + more)
    return min(max(middle * (1 - middle) * more / half**2 - more, 0.5), float(most))


def _tail(confidence: float, has_bounds: bool) -> float:
    return (1 - confidence) / (1 if has_bounds else 2)


def mean_interval(means: Means, *, confidence: float = 0.95) -> Estimate | None:
    """Return a mean of any numbers with Student's interval over the clusters; None for fewer than
    two clusters or infinite numbers."""
    if means.clusters < 2 or not math.isfinite(means.variance):
        return None
    quantile = t_quantile((1 + confidence) / 2, means.clusters - 1)
    half = quantile * math.sqrt(means.variance)
    return Estimate(means.mean, means.mean - half, means.mean + half, confidence, means.clusters)
