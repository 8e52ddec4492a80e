"""Metrics of k answers to the same question: pass@k, pass^k, G-Pass@k, majority@k.

Each is the probability that at least m of k repeats pass, for some m. Its unbiased estimate from
n >= k repeats is the share of subsets of k repeats of which at least m pass (Chen et al., arXiv
2107.03374, for pass@k; Yao et al., arXiv 2406.12045, for pass^k; Liu et al., arXiv 2412.13147, for
G-Pass@k).
"""

from __future__ import annotations

import math

from lve.named_tuples import NamedTuple
from lve.verdicts.rates.beta import incomplete_beta
from lve.verdicts.rates.clusters import Counts, Estimate, share_interval
from lve.verdicts.rates.statistics import pass_rate


class AtK(NamedTuple):
    """Metrics of k repeats, for the population of the instances."""

    k: int
    instances: int
    """Number of instances with at least k results; the others don't count."""
    any_passes: Estimate
    """pass@k: at least one of k passes."""
    all_pass: Estimate
    """pass^k: all k pass."""
    majority: Estimate
    """majority@k: more than half of k pass. The vote is over verdicts, not over texts."""
    share_passes: Estimate
    """G-Pass@k: at least `share` of k pass."""
    share: float


def at_k(counts: Counts, k: int, *, share: float = 0.75, confidence: float = 0.95) -> AtK | None:
    """Return the metrics of k repeats; None if no instance has k results.

    Args:
        counts: results of the instances.
        k: at least 1.
        share: that must pass for G-Pass@k, above 0 and up to 1.
        confidence: of the intervals.
    """
    enough = {key: times for key, times in counts.items() if key[1] >= k}
    if not enough:
        return None

    def chance(least: int) -> Estimate:
        return _chance(enough, k, least, confidence)

    return AtK(
        k,
        sum(enough.values()),
        any_passes=chance(1),
        all_pass=chance(k),
        majority=chance(k // 2 + 1),
        share_passes=chance(max(1, math.ceil(share * k - 1e-9))),
        share=share,
    )


def chance_of(passed: int, total: int, k: int, least: int) -> float:
    """Return the share of subsets of k results in which at least `least` passed.

    Args:
        passed: number of results that passed.
        total: number of results, at least `k`.
        k: size of the subsets.
        least: number of results in a subset that must have passed.
    """
    subsets = sum(
        math.comb(passed, good) * math.comb(total - passed, k - good)
        for good in range(least, min(k, passed) + 1)
    )
    return subsets / math.comb(total, k)


def _chance(counts: Counts, k: int, least: int, confidence: float) -> Estimate:
    """Return a probability with its interval over the instances. A single instance has the interval
    that follows from that of its pass rate, because the probability grows with the rate."""
    if sum(counts.values()) == 1:
        ((passed, total),) = counts
        rate = pass_rate(passed, total, confidence=confidence)
        low, high = (incomplete_beta(end, least, k - least + 1) for end in (rate.low, rate.high))
        return Estimate(chance_of(passed, total, k, least), low, high, confidence, 1)
    values = [(chance_of(*key, k, least), times) for key, times in counts.items()]
    estimate = share_interval(values, confidence=confidence)
    assert estimate is not None
    return estimate
