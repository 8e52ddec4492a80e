"""Pass rates with honest intervals, and what follows from them.

The interval is Clopper and Pearson's exact one (Biometrika 26, 1934, pp. 404-413): it covers the
true rate at least as often as its confidence says, however few runs there are and however close to
0 or 1 the rate is. Runs of several different instances count together: a sum of independent runs
with different chances varies less than a binomial one (Hoeffding, Ann. Math. Stat. 27, 1956), so
the interval is then too wide rather than too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from lve.spec.model import Expectation

Decision = Literal["passed", "failed", "inconclusive"]


class Rate(NamedTuple):
    """A pass rate and the interval in which the true one lies."""

    passed: int
    total: int
    low: float
    high: float
    confidence: float

    @property
    def rate(self) -> float | None:
        """The observed rate; None without runs."""
        return self.passed / self.total if self.total else None

    def __str__(self) -> str:
        if self.rate is None:
            return "no runs"
        percent = f"{self.confidence * 100:g} %"
        return (
            f"{self.passed}/{self.total} = {self.rate:.3g} "
            f"({percent} interval {self.low:.3f} to {self.high:.3f})"
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
    low = 0.0 if passed == 0 else _beta_quantile(tail, passed, total - passed + 1)
    high = 1.0 if passed == total else _beta_quantile(1 - tail, passed + 1, total - passed)
    return Rate(passed, total, low, high, confidence)


def judge_rate(
    expect: Expectation, passed: int, total: int, *, checkpoints: int = 1
) -> tuple[Decision, Rate]:
    """Compare a pass rate with what a test expects.

    `passed` if every rate in the interval satisfies the expectation, `failed` if none does,
    `inconclusive` otherwise.

    Args:
        expect: an expectation of kind `rate`.
        passed: runs that passed.
        total: runs that passed or failed; errors don't count.
        checkpoints: how often the rate is checked in order to stop early. Stopping at the first
            good number would break the promise of the confidence, so the chance of error is
            divided among the checkpoints (Bonferroni).
    """
    confidence = 1 - (1 - expect.confidence) / checkpoints
    rate = pass_rate(passed, total, confidence=confidence)
    threshold = expect.threshold
    if expect.comparison == ">=":
        holds, fails = rate.low >= threshold, rate.high < threshold
    elif expect.comparison == ">":
        holds, fails = rate.low > threshold, rate.high <= threshold
    elif expect.comparison == "<=":
        holds, fails = rate.high <= threshold, rate.low > threshold
    else:
        holds, fails = rate.high < threshold, rate.low >= threshold
    if total == 0 or not (holds or fails):
        return "inconclusive", rate
    return ("passed" if holds else "failed"), rate


def decide_despite_errors(
    expect: Expectation, passed: int, total: int, errors: int, *, checkpoints: int = 1
) -> Decision | None:
    """Return what a pass rate decides, whatever the runs that ended in an error would have been;
    None where that depends on them.

    Args:
        expect: an expectation of kind `rate`.
        passed: runs that passed.
        total: runs that passed or failed.
        errors: runs that ended in an error.
        checkpoints: as for `judge_rate`.
    """
    counts = ((passed, total), (passed, total + errors), (passed + errors, total + errors))
    tried = {judge_rate(expect, *one, checkpoints=checkpoints)[0] for one in counts}
    return tried.pop() if len(tried) == 1 else None


def checkpoints_up_to(max_repeats: int) -> tuple[int, ...]:
    """Return after how many repeats to check a rate: doubling, ending with the last.

    Few checkpoints, because each one makes the interval wider.
    """
    points = [max_repeats]
    while points[-1] >= 8:
        points.append(points[-1] // 2)
    return tuple(reversed(points))


def needs_more(
    expect: Expectation,
    passed: int,
    total: int,
    *,
    errors: int = 0,
    repeats_done: int,
    points: Sequence[int] | None = None,
) -> bool:
    """Return whether another repeat of all instances can change a test's verdict.

    Args:
        expect: what the test expects.
        passed: runs that passed, over all instances and repeats.
        total: runs that passed or failed.
        errors: runs that ended in an error. They decide nothing, so they don't end the repeats.
        repeats_done: how many repeats every instance has had.
        points: after how many repeats to check, ascending; `checkpoints_up_to` when None.
    """
    points = points or checkpoints_up_to(expect.max_repeats)
    if expect.kind != "rate" or repeats_done >= points[-1]:
        return False
    if repeats_done not in points:
        return True
    decision = decide_despite_errors(expect, passed, total, errors, checkpoints=len(points))
    return decision in (None, "inconclusive")


@lru_cache(maxsize=4096)  # items of pytest ask for the same few counts again and again
def _beta_quantile(probability: float, a: float, b: float) -> float:
    """Return x with I_x(a, b) = `probability`, by bisection: slow, but it always converges."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _incomplete_beta(middle, a, b) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b) (DLMF 8.17)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    factor = math.exp(logarithm + a * math.log(x) + b * math.log1p(-x))
    # The continued fraction converges fast on this side of the mean (DLMF 8.17.22) ...
    if x < (a + 1) / (a + b + 2):
        return factor * _continued_fraction(x, a, b) / a
    # ... and on the other side of the mirrored one (DLMF 8.17.4).
    return 1 - factor * _continued_fraction(1 - x, b, a) / b


def _continued_fraction(x: float, a: float, b: float) -> float:
    """Evaluate the fraction of DLMF 8.17.22 by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1), tiny)
    result = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _not_zero(1 + term * d, tiny)
            c = _not_zero(1 + term / c, tiny)
            result *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return result


def _not_zero(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny
