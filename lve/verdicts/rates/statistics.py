"""Pass rates with confidence bounds, and the verdicts that follow from them.

If the number of repeats is fixed beforehand, the bounds are the exact ones of Clopper and Pearson
(Biometrika 26, 1934, pp. 404-413), whose coverage is at least the confidence for any number of runs
and any rate. Runs of different instances are pooled: the sum of independent runs with different
probabilities varies less than a binomial sum (Hoeffding, Ann. Math. Stat. 27, 1956), so the bounds
are too wide rather than too narrow. If repeats end as soon as the rate can be decided, the bounds
are those of `sequential`.

A sequential test of a rate, which is valid at any number of interim analyses.

The e-value against "the rate is at most the threshold" is the wealth of a gambler who starts with 1
and bets on every result at odds that are fair if the rate is the threshold, with the stake spread
evenly over all higher rates (Ville 1939; Robbins, Ann. Math. Stat. 41, 1970, pp. 1397-1409;
Waudby-Smith and Ramdas, J. R. Stat. Soc. B 86, 2024, pp. 1-27). If the rate isn't above the
threshold, the probability that the wealth ever reaches 1/alpha is at most alpha, whenever and for
whatever reason one stops.

Instances may have different rates. The bets of one round (a repeat of all instances) don't depend
on each other, so the expected product of a round is at most that of instances that all have the
mean rate (inequality of arithmetic and geometric means). Therefore the test is valid for the mean
rate of any instances, if it is only evaluated after complete rounds.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal

from lve.named_tuples import NamedTuple
from lve.spec.spec import Expectation
from lve.verdicts.rates.beta import beta_quantile, exact_bounds, incomplete_beta, log_beta
from lve.verdicts.wording import range_text, share_text

Decision = Literal["passed", "failed", "inconclusive"]


class Rate(NamedTuple):
    """A pass rate with a confidence interval or one-sided confidence bounds."""

    passed: int
    total: int
    low: float
    high: float
    confidence: float
    has_bounds: bool = False
    """True: `low` and `high` are one-sided bounds, each with the confidence, as a verdict needs it.
    False: they are a two-sided interval."""

    @property
    def rate(self) -> float | None:
        """The observed rate; None without runs."""
        return self.passed / self.total if self.total else None

    def __str__(self) -> str:
        if self.rate is None:
            return "no results"
        interval = range_text(self.low, self.high, self.confidence, has_bounds=self.has_bounds)
        return f"{self.passed}/{self.total} = {share_text(self.rate)} ({interval})"


def pass_rate(passed: int, total: int, *, confidence: float = 0.95) -> Rate:
    """Return the rate of `passed` out of `total` with its exact two-sided interval.

    Args:
        passed: from 0 to `total`.
        total: number of independent runs.
        confidence: between 0 and 1, exclusive.
    """
    if not 0 <= passed <= total:
        raise ValueError(f"{passed} of {total} is not a rate")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence} is not between 0 and 1")
    low, high = exact_bounds(passed, total, (1 - confidence) / 2)
    return Rate(passed, total, low, high, confidence)


def rate_bounds(
    passed: int, total: int, *, confidence: float = 0.95, sequential: bool = False
) -> Rate:
    """Return a rate with the one-sided bounds that decide about an expectation.

    Args:
        passed: from 0 to `total`.
        total: number of independent runs.
        confidence: of each bound, at least 0.5 and below 1.
        sequential: whether the number of runs depends on their results, because repeats end as soon
            as the rate can be decided.
    """
    if not 0 <= passed <= total:
        raise ValueError(f"{passed} of {total} is not a rate")
    if not 0.5 <= confidence < 1:
        raise ValueError(f"confidence {confidence} is not between 0.5 and 1")
    low = _low_bound(passed, total - passed, 1 - confidence, sequential)
    high = 1 - _low_bound(total - passed, passed, 1 - confidence, sequential)
    return Rate(passed, total, low, high, confidence, has_bounds=True)


def judge_rate(
    expect: Expectation, passed: float, total: int, *, sequential: bool = False
) -> Decision:
    """Compare a pass rate with what a test expects.

    `passed` if the bounds exclude every rate that violates the expectation, `failed` if they
    exclude every rate that satisfies it, else `inconclusive`. For any true rate the probability of
    a wrong verdict is at most 1 - confidence.

    Args:
        expect: an expectation of kind `rate`.
        passed: runs that passed; a fraction lies between the whole numbers around it.
        total: runs that passed or failed, without errors.
        sequential: whether repeats end as soon as the rate can be decided.
    """
    failed, threshold = total - passed, expect.threshold
    alpha = 1 - expect.confidence
    is_above = _is_above(passed, failed, threshold, alpha, sequential)
    is_below = _is_above(failed, passed, 1 - threshold, alpha, sequential)
    if expect.comparison == ">=":
        holds, fails = is_above or threshold <= 0, is_below
    elif expect.comparison == ">":
        holds, fails = is_above, is_below or threshold >= 1
    elif expect.comparison == "<=":
        holds, fails = is_below or threshold >= 1, is_above
    else:
        holds, fails = is_below, is_above or threshold <= 0
    if total == 0 or not (holds or fails):
        return "inconclusive"
    return "passed" if holds else "failed"


def decide_despite_errors(
    expect: Expectation, passed: int, total: int, errors: int, *, sequential: bool = False
) -> Decision | None:
    """Return the decision that is the same if errors are left out, count as failed, or count as
    passed; None if these differ.

    Args:
        expect: an expectation of kind `rate`.
        passed: runs that passed.
        total: runs that passed or failed.
        errors: runs that ended in an error.
        sequential: as in `judge_rate`.
    """
    counts = ((passed, total), (passed, total + errors), (passed + errors, total + errors))
    decisions = {judge_rate(expect, *case, sequential=sequential) for case in counts}
    return decisions.pop() if len(decisions) == 1 else None


def _is_above(
    passed: float, failed: float, threshold: float, alpha: float, sequential: bool
) -> bool:
    """Whether the true rate is above a threshold, with an error probability of at most `alpha`."""
    if threshold <= 0:
        return passed > 0
    if threshold >= 1:
        return False
    if sequential:
        return log_e_value(passed, failed, threshold) >= -math.log(alpha)
    # The p value: the probability of so many passes or more if the rate is the threshold.
    return passed > 0 and incomplete_beta(threshold, passed, failed + 1) <= alpha


def _low_bound(passed: int, failed: int, alpha: float, sequential: bool) -> float:
    """Return the lower confidence bound of a rate, with an error probability of `alpha`."""
    if not passed:
        return 0.0
    if not sequential:
        return beta_quantile(alpha, passed, failed + 1)
    low, high = 0.0, passed / (passed + failed)
    for _ in range(50):
        middle = (low + high) / 2
        if log_e_value(passed, failed, middle) >= -math.log(alpha):
            low = middle
        else:
            high = middle
    return low


@lru_cache(maxsize=4096)
def log_e_value(passed: float, failed: float, threshold: float) -> float:
    """Return the logarithm of the e-value against "the rate is at most `threshold`".

    Args:
        passed: number of results that passed.
        failed: number of results that failed.
        threshold: from 0 to 1.
    """
    if threshold >= 1:
        return -math.inf
    if threshold <= 0:
        return math.inf if passed else 0.0
    # The mean likelihood of the rates above the threshold, divided by that of the threshold.
    share = incomplete_beta(1 - threshold, failed + 1, passed + 1)
    if share <= 0:
        return -math.inf
    mean = log_beta(passed + 1, failed + 1) + math.log(share) - math.log1p(-threshold)
    return mean - passed * math.log(threshold) - failed * math.log1p(-threshold)
