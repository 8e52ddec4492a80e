"""How likely a pass rate is decided, given the probability that a run passes.

The probabilities are exact for independent runs that all pass with the same probability: the
distribution of the number of passes in undecided tests is followed from one interim analysis to the
next.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache

from lve.named_tuples import NamedTuple
from lve.spec.spec import Expectation
from lve.verdicts.expectations.sample_size import higher_is_better, smallest_sufficient
from lve.verdicts.rates.statistics import judge_rate

MAX_ANALYSES = 100
"""Interim analyses that are followed. With more repeats some are skipped, which gives slightly
lower probabilities of a decision."""
NEGLIGIBLE = 1e-9
"""Numbers of passes that are less likely than this are dropped."""
NEGLIGIBLE_UNDECIDED = 1e-6
"""Tests are followed until they are undecided with less than this probability."""


class OutcomeProbabilities(NamedTuple):
    """Probabilities of each outcome of a test, given the probability that a run passes."""

    rate: float
    """The probability that a run passes."""
    passed: float
    """The probability that the test passes."""
    failed: float
    """The probability that the test fails."""
    runs: float
    """The expected number of runs."""

    @property
    def decided(self) -> float:
        """The probability that the test passes or fails."""
        return self.passed + self.failed


def rates_around_threshold(expect: Expectation) -> tuple[float, ...]:
    """Return up to four true rates at which to compute outcome probabilities, the best first.

    For `>=0.9` these are 1.0, 0.95, 0.85 and 0.8.
    """
    threshold = expect.threshold
    step = (min(threshold, 1 - threshold) or 0.1) / 2
    rates = [round(threshold + step * n, 6) for n in (2, 1, -1, -2)]
    within = [rate for rate in rates if 0 <= rate <= 1]
    return tuple(within if higher_is_better(expect) else reversed(within))


@lru_cache(maxsize=1024)  # Trees of tests have only a few different expectations.
def outcome_probabilities(
    expect: Expectation, instances: int, repeats: int, *, sequential: bool, rate: float
) -> OutcomeProbabilities:
    """Return the probabilities of each outcome of a test.

    Args:
        expect: an expectation of kind `rate`.
        instances: of the test.
        repeats: of every instance, at most.
        sequential: whether repeats end as soon as the rate can be decided.
        rate: the probability that a run passes.
    """
    *_, (_, last) = _interim_analyses(expect, instances, repeats, sequential, rate)
    return last


@lru_cache(maxsize=1024)
def repeats_for_power(
    expect: Expectation, instances: int, most: int, *, rate: float, power: float
) -> int | None:
    """Return how many repeats of all rows decide with a probability of `power`; None if `most`
    don't.

    Args:
        expect: an expectation of kind `rate`.
        instances: of the test.
        most: largest number of repeats to consider.
        rate: the probability that a run passes.
        power: the probability of a decision that is wanted.
    """
    for repeats, outcome in _interim_analyses(expect, instances, most, True, rate):
        if outcome.decided >= power:
            return repeats
    return None


@lru_cache(maxsize=1024)
def instances_for_power(
    expect: Expectation, repeats: int, *, rate: float, power: float
) -> int | None:
    """Return how many instances, with a fixed number of repeats, decide with a probability of
    `power`; None if `MAX_SUGGESTED` don't.

    Args:
        expect: an expectation of kind `rate`.
        repeats: of every instance.
        rate: the probability that a run passes.
        power: the probability of a decision that is wanted.
    """

    def is_enough(instances: int) -> bool:
        outcome = outcome_probabilities(expect, instances, repeats, sequential=False, rate=rate)
        return outcome.decided >= power

    return smallest_sufficient(is_enough)


def _interim_analyses(
    expect: Expectation, instances: int, repeats: int, sequential: bool, rate: float
) -> Iterator[tuple[int, OutcomeProbabilities]]:
    """Yield the number of repeats at each interim analysis, and the probabilities up to it."""
    stride = max(1, repeats // MAX_ANALYSES) if sequential else repeats
    step = instances * stride
    new = dict(_binomial(step, rate))
    undecided, passed, failed, runs = {0: 1.0}, 0.0, 0.0, 0.0
    for done in range(stride, repeats + 1, stride):
        left = sum(undecided.values())
        if left < NEGLIGIBLE_UNDECIDED:
            return
        runs += step * left
        low, high = _undecided_counts(expect, instances * done, sequential)
        after = _convolution(undecided, new)
        below = sum(p for count, p in after.items() if count < low)
        above = sum(p for count, p in after.items() if count > high)
        passed += above if higher_is_better(expect) else below
        failed += below if higher_is_better(expect) else above
        undecided = {count: p for count, p in after.items() if low <= count <= high}
        yield done, OutcomeProbabilities(rate, passed, failed, runs)


def _convolution(some: dict[int, float], others: dict[int, float]) -> dict[int, float]:
    """Return the distribution of the sum of two independent counts."""
    sums: dict[int, float] = {}
    for count, p in some.items():
        if p > NEGLIGIBLE:
            for more, q in others.items():
                sums[count + more] = sums.get(count + more, 0.0) + p * q
    return sums


def _binomial(runs: int, rate: float) -> Iterator[tuple[int, float]]:
    """Yield number of passes and its probability, without negligible ones."""
    if not 0 < rate < 1:
        yield (runs if rate >= 1 else 0), 1.0
        return
    wide = 7 * math.sqrt(runs * rate * (1 - rate)) + 7
    total = math.lgamma(runs + 1)
    for count in range(max(0, int(runs * rate - wide)), min(runs, int(runs * rate + wide)) + 1):
        ways = total - math.lgamma(count + 1) - math.lgamma(runs - count + 1)
        yield count, math.exp(ways + count * math.log(rate) + (runs - count) * math.log1p(-rate))


def _undecided_counts(expect: Expectation, runs: int, sequential: bool) -> tuple[int, int]:
    """Return the smallest and the largest number of passes that leave a test undecided. If there is
    none, the smallest is larger than the largest."""
    many, few = ("passed", "failed") if higher_is_better(expect) else ("failed", "passed")

    def first(is_there: Callable[[str], bool]) -> int:
        low, high = -1, runs + 1
        while high - low > 1:
            middle = (low + high) // 2
            decision = judge_rate(expect, middle, runs, sequential=sequential)
            low, high = (low, middle) if is_there(decision) else (middle, high)
        return high

    return first(lambda decision: decision != few), first(lambda decision: decision == many) - 1
