"""Pass rates with honest bounds, and what follows from them.

Where the number of repeats is fixed beforehand, the bounds are Clopper and Pearson's exact ones
(Biometrika 26, 1934, pp. 404-413): they hold at least as often as their confidence says, however
few runs there are and however close to 0 or 1 the rate is. Runs of several different instances
count together: a sum of independent runs with different chances varies less than a binomial one
(Hoeffding, Ann. Math. Stat. 27, 1956), so the bounds are then too wide rather than too narrow.
Where repeats end as soon as the numbers can decide, the bounds are those of `sequential`.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from lve.spec.model import Expectation
from lve.verdicts.rates.beta import beta_quantile, incomplete_beta
from lve.verdicts.rates.sequential import evidence
from lve.verdicts.wording import bound

Decision = Literal["passed", "failed", "inconclusive"]


class Rate(NamedTuple):
    """A pass rate and where the true one lies."""

    passed: int
    total: int
    low: float
    high: float
    confidence: float
    has_bounds: bool = False
    """Whether each of `low` and `high` alone holds at the confidence, as a verdict needs it. If
    not, both together do: they are an interval."""

    @property
    def rate(self) -> float | None:
        """The observed rate; None without runs."""
        return self.passed / self.total if self.total else None

    def __str__(self) -> str:
        if self.rate is None:
            return "no runs"
        percent = f"{self.confidence * 100:g} %"
        what, join = ("bounds", "and") if self.has_bounds else ("interval", "to")
        return (
            f"{self.passed}/{self.total} = {self.rate:.3g} "
            f"({percent} {what} {bound(self.low)} {join} {bound(self.high)})"
        )


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
    tail = (1 - confidence) / 2
    low = 0.0 if passed == 0 else beta_quantile(tail, passed, total - passed + 1)
    high = 1.0 if passed == total else beta_quantile(1 - tail, passed + 1, total - passed)
    return Rate(passed, total, low, high, confidence)


def rate_bounds(
    passed: int, total: int, *, confidence: float = 0.95, sequential: bool = False
) -> Rate:
    """Return a rate with the bounds that decide about an expectation.

    Args:
        passed: from 0 to `total`.
        total: number of independent runs.
        confidence: of each bound, from 0.5 to 1, exclusive.
        sequential: whether the number of runs depends on what came out, as where repeats end as
            soon as the numbers can decide.
    """
    if not 0 <= passed <= total:
        raise ValueError(f"{passed} of {total} is not a rate")
    if not 0.5 <= confidence < 1:
        raise ValueError(f"confidence {confidence} is not between 0.5 and 1")
    low = _low_bound(passed, total - passed, 1 - confidence, sequential)
    high = 1 - _low_bound(total - passed, passed, 1 - confidence, sequential)
    return Rate(passed, total, low, high, confidence, has_bounds=True)


def judge_rate(
    expect: Expectation, passed: int, total: int, *, sequential: bool = False
) -> Decision:
    """Compare a pass rate with what a test expects.

    `passed` if the bounds exclude every rate that doesn't satisfy the expectation, `failed` if they
    exclude every rate that does, `inconclusive` otherwise. Whatever the true rate is, the chance of
    a wrong verdict is at most 1 - confidence.

    Args:
        expect: an expectation of kind `rate`.
        passed: runs that passed.
        total: runs that passed or failed; errors don't count.
        sequential: whether repeats end as soon as the numbers can decide.
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
    """Return what a pass rate decides, whatever the runs that ended in an error would have been;
    None where that depends on them.

    Args:
        expect: an expectation of kind `rate`.
        passed: runs that passed.
        total: runs that passed or failed.
        errors: runs that ended in an error.
        sequential: as for `judge_rate`.
    """
    counts = ((passed, total), (passed, total + errors), (passed + errors, total + errors))
    tried = {judge_rate(expect, *one, sequential=sequential) for one in counts}
    return tried.pop() if len(tried) == 1 else None


def _is_above(passed: int, failed: int, threshold: float, alpha: float, sequential: bool) -> bool:
    """Whether the true rate is above a threshold, with a chance of error of at most `alpha`."""
    if threshold <= 0:
        return passed > 0
    if threshold >= 1:
        return False
    if sequential:
        return evidence(passed, failed, threshold) >= -math.log(alpha)
    # The chance of so many passes or more if the threshold were the rate.
    return passed > 0 and incomplete_beta(threshold, passed, failed + 1) <= alpha


def _low_bound(passed: int, failed: int, alpha: float, sequential: bool) -> float:
    """Return the highest threshold that the true rate is certainly above."""
    if not passed:
        return 0.0
    if not sequential:
        return beta_quantile(alpha, passed, failed + 1)
    low, high = 0.0, passed / (passed + failed)
    for _ in range(50):
        middle = (low + high) / 2
        if evidence(passed, failed, middle) >= -math.log(alpha):
            low = middle
        else:
            high = middle
    return low
