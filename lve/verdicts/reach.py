"""What a pass rate can decide with the instances and repeats that its test has, and how likely.

The chances are exact for independent runs that all pass equally often: the numbers of passes that
leave a test undecided are followed from one look at the rate to the next.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from lve.spec.model import Expectation
from lve.verdicts.rates.statistics import Rate, judge_rate, rate_bounds

MOST = 100_000
"""More instances, repeats or runs aren't suggested."""
MOST_LOOKS = 100
"""Of more repeats only some are followed, which tells a little less than the truth."""
NEGLIGIBLE = 1e-9
"""A probability that is left out."""
UNLIKELY = 1e-6
"""That a test is still undecided."""


class Reach(NamedTuple):
    """What a pass rate can decide at best."""

    instances: int
    repeats: int
    """Of every instance, at most."""
    can_pass: bool
    can_fail: bool
    best: Rate
    """The rate if all runs come out as the test wants them."""


class Chance(NamedTuple):
    """What becomes of a test if runs pass with some probability."""

    rate: float
    """That probability."""
    passed: float
    """The chance that the test passes."""
    failed: float
    """The chance that it fails."""
    runs: float
    """How many runs it takes on average."""

    @property
    def decided(self) -> float:
        """The chance that the test passes or fails."""
        return self.passed + self.failed


def reach(expect: Expectation, instances: int, repeats: int, *, sequential: bool) -> Reach:
    """Return what a pass rate can decide at best.

    Args:
        expect: an expectation of kind `rate`.
        instances: how many the test has.
        repeats: of every instance, at most.
        sequential: whether repeats end as soon as the numbers can decide.
    """
    runs = instances * repeats
    good, bad = (runs, 0) if wants_many(expect) else (0, runs)
    best = rate_bounds(good, runs, confidence=expect.confidence, sequential=sequential)
    can_pass = judge_rate(expect, good, runs, sequential=sequential) == "passed"
    can_fail = judge_rate(expect, bad, runs, sequential=sequential) == "failed"
    return Reach(instances, repeats, can_pass, can_fail, best)


def repeats_needed(expect: Expectation, instances: int, *, sequential: bool) -> int | None:
    """Return with how many repeats, at most, a test can pass. None: with no sensible number."""
    return least(lambda n: reach(expect, instances, n, sequential=sequential).can_pass)


def instances_needed(expect: Expectation, repeats: int, *, sequential: bool) -> int | None:
    """Return with how many instances a test can pass. None: with no sensible number."""
    return least(lambda n: reach(expect, n, repeats, sequential=sequential).can_pass)


def runs_that_decide(
    expect: Expectation, passed: int, total: int, *, sequential: bool
) -> int | None:
    """Return how many runs decide if they come out as those so far; None: no sensible number does.

    Args:
        expect: an expectation of kind `rate`.
        passed: runs that passed so far.
        total: runs so far, one or more.
        sequential: whether repeats end as soon as the numbers can decide.
    """

    def decide(runs: int) -> bool:
        good = round(passed / total * runs)
        return judge_rate(expect, good, runs, sequential=sequential) != "inconclusive"

    runs = least(decide)
    return None if runs is None else max(runs, total + 1)  # fewer don't, because of rounding


def wants_many(expect: Expectation) -> bool:
    """Whether the more runs pass, the better."""
    return expect.comparison in (">=", ">")


def least(is_enough: Callable[[int], bool]) -> int | None:
    """Return the least number from 1 on that is enough, by bisection. None: `MOST` isn't."""
    if not is_enough(MOST):
        return None
    low, high = 0, 1
    while not is_enough(high):
        low, high = high, min(2 * high, MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def telling_rates(expect: Expectation) -> tuple[float, ...]:
    """Return true rates around the threshold for which the chances say most, the best first."""
    threshold = expect.threshold
    step = (min(threshold, 1 - threshold) or 0.1) / 2
    rates = [round(threshold + step * n, 6) for n in (2, 1, -1, -2)]
    within = [rate for rate in rates if 0 <= rate <= 1]
    return tuple(within if wants_many(expect) else reversed(within))


@lru_cache(maxsize=1024)  # trees of tests repeat a few expectations
def chance(
    expect: Expectation, instances: int, repeats: int, *, sequential: bool, rate: float
) -> Chance:
    """Return what becomes of a test if its runs pass with some probability.

    Args:
        expect: an expectation of kind `rate`.
        instances: how many the test has.
        repeats: of every instance, at most.
        sequential: whether repeats end as soon as the numbers can decide.
        rate: the probability.
    """
    *_, (_, last) = _looks(expect, instances, repeats, sequential, rate)
    return last


@lru_cache(maxsize=1024)
def repeats_that_decide(
    expect: Expectation, instances: int, most: int, *, rate: float, power: float
) -> int | None:
    """Return how many repeats of all instances decide with some chance; None if `most` don't.

    Args:
        expect: an expectation of kind `rate`.
        instances: how many the test has.
        most: repeats to think of.
        rate: the probability with which runs pass.
        power: the chance that is wanted.
    """
    for repeats, found in _looks(expect, instances, most, True, rate):
        if found.decided >= power:
            return repeats
    return None


@lru_cache(maxsize=1024)
def instances_that_decide(
    expect: Expectation, repeats: int, *, rate: float, power: float
) -> int | None:
    """Return how many instances decide with some chance, each with a fixed number of repeats. None:
    no sensible number does.

    Args:
        expect: an expectation of kind `rate`.
        repeats: of every instance.
        rate: the probability with which runs pass.
        power: the chance that is wanted.
    """

    def is_enough(instances: int) -> bool:
        return chance(expect, instances, repeats, sequential=False, rate=rate).decided >= power

    return least(is_enough)


def _looks(
    expect: Expectation, instances: int, repeats: int, sequential: bool, rate: float
) -> Iterator[tuple[int, Chance]]:
    """Yield after how many repeats the rate is looked at, and what has become of the test then."""
    stride = max(1, repeats // MOST_LOOKS) if sequential else repeats
    step = instances * stride
    new = dict(_binomial(step, rate))
    undecided, passed, failed, runs = {0: 1.0}, 0.0, 0.0, 0.0
    for look in range(stride, repeats + 1, stride):
        left = sum(undecided.values())
        if left < UNLIKELY:
            return
        runs += step * left
        low, high = _undecided_counts(expect, instances * look, sequential)
        after = _sums(undecided, new)
        below = sum(p for count, p in after.items() if count < low)
        above = sum(p for count, p in after.items() if count > high)
        passed += above if wants_many(expect) else below
        failed += below if wants_many(expect) else above
        undecided = {count: p for count, p in after.items() if low <= count <= high}
        yield look, Chance(rate, passed, failed, runs)


def _sums(some: dict[int, float], others: dict[int, float]) -> dict[int, float]:
    """Return the distribution of the sum of two counts."""
    sums: dict[int, float] = {}
    for count, p in some.items():
        if p > NEGLIGIBLE:
            for more, q in others.items():
                sums[count + more] = sums.get(count + more, 0.0) + p * q
    return sums


def _binomial(runs: int, rate: float) -> Iterator[tuple[int, float]]:
    """Yield how many of some runs pass, with the probability, where that isn't negligible."""
    if not 0 < rate < 1:
        yield (runs if rate >= 1 else 0), 1.0
        return
    wide = 7 * math.sqrt(runs * rate * (1 - rate)) + 7
    total = math.lgamma(runs + 1)
    for count in range(max(0, int(runs * rate - wide)), min(runs, int(runs * rate + wide)) + 1):
        ways = total - math.lgamma(count + 1) - math.lgamma(runs - count + 1)
        yield count, math.exp(ways + count * math.log(rate) + (runs - count) * math.log1p(-rate))


def _undecided_counts(expect: Expectation, runs: int, sequential: bool) -> tuple[int, int]:
    """Return the least and the largest number of passes that leave a test undecided. The least is
    the larger where there is none."""
    many, few = ("passed", "failed") if wants_many(expect) else ("failed", "passed")

    def first(is_there: Callable[[str], bool]) -> int:
        low, high = -1, runs + 1
        while high - low > 1:
            middle = (low + high) // 2
            decision = judge_rate(expect, middle, runs, sequential=sequential)
            low, high = (low, middle) if is_there(decision) else (middle, high)
        return high

    return first(lambda decision: decision != few), first(lambda decision: decision == many) - 1
