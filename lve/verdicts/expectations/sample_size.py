"""How many instances, repeats or runs it takes to decide a pass rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from lve.named_tuples import NamedTuple
from lve.plurals import amount
from lve.spec.spec import Expectation
from lve.verdicts.rates.clusters import Counts
from lve.verdicts.rates.population import decide_about_population
from lve.verdicts.rates.statistics import Rate, judge_rate, rate_bounds

MAX_SUGGESTED = 100_000
"""Larger numbers of instances, repeats or runs aren't suggested."""


class BestCase(NamedTuple):
    """What a pass rate can decide if all runs pass, or all fail."""

    instances: int
    repeats: int
    """Of every instance, at most."""
    can_pass: bool
    can_fail: bool
    best: Rate
    """The rate if all runs come out as the test wants them."""


def best_case(expect: Expectation, instances: int, repeats: int, *, sequential: bool) -> BestCase:
    """Return what a pass rate can decide at best.

    Args:
        expect: an expectation of kind `rate`.
        instances: of the test.
        repeats: of every instance, at most.
        sequential: whether repeats end as soon as the rate can be decided.
    """
    runs = instances * repeats
    good, bad = (runs, 0) if higher_is_better(expect) else (0, runs)
    best = rate_bounds(good, runs, confidence=expect.confidence, sequential=sequential)
    can_pass = judge_rate(expect, good, runs, sequential=sequential) == "passed"
    can_fail = judge_rate(expect, bad, runs, sequential=sequential) == "failed"
    return BestCase(instances, repeats, can_pass, can_fail, best)


def repeats_needed(expect: Expectation, instances: int, *, sequential: bool) -> int | None:
    """Return the smallest number of repeats with which a test can pass; None if `MAX_SUGGESTED`
    isn't enough."""
    return smallest_sufficient(
        lambda n: best_case(expect, instances, n, sequential=sequential).can_pass
    )


def instances_needed(expect: Expectation, repeats: int, *, sequential: bool) -> int | None:
    """Return the smallest number of instances with which a test can pass; None if `MAX_SUGGESTED`
    isn't enough."""
    return smallest_sufficient(
        lambda n: best_case(expect, n, repeats, sequential=sequential).can_pass
    )


def higher_is_better(expect: Expectation) -> bool:
    """Whether a test expects a high pass rate (`>=` or `>`)."""
    return expect.comparison in (">=", ">")


def smallest_sufficient(is_enough: Callable[[int], bool]) -> int | None:
    """Return the smallest number from 1 for which `is_enough` is true, by bisection; None if it is
    false for `MAX_SUGGESTED`."""
    if not is_enough(MAX_SUGGESTED):
        return None
    low, high = 0, 1
    while not is_enough(high):
        low, high = high, min(2 * high, MAX_SUGGESTED)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def what_would_decide(expect: Expectation, counts: Counts, is_sequential: bool) -> str:
    """Say how many more results like those so far would decide an inconclusive rate.

    Args:
        expect: an expectation of kind `rate`.
        counts: results of the clusters so far.
        is_sequential: whether repeats end as soon as the rate can be decided.
    """
    clusters = sum(counts.values())
    if expect.claim == "population":
        return _more_clusters(expect, counts, clusters)
    passed = sum(good * times for (good, _), times in counts.items())
    judged = sum(total * times for (_, total), times in counts.items())
    runs = _runs_needed(expect, passed, judged, is_sequential)
    if runs is None:
        return f"at this rate {MAX_SUGGESTED:,} results wouldn't decide"
    repeats = amount(-(-runs // clusters), "repeat")
    return f"at this rate about {amount(runs, 'result')} would decide ({repeats} of all rows)"


def _runs_needed(expect: Expectation, passed: int, total: int, sequential: bool) -> int | None:
    """Return how many runs decide if as large a share passes, and any larger number, too; None if
    `MAX_SUGGESTED` don't. A part of a run counts against a decision: no share is rounded to a
    better one."""
    is_above = passed > expect.threshold * total
    decision = "passed" if is_above == higher_is_better(expect) else "failed"

    def is_decided(good: float, runs: int) -> bool:
        return judge_rate(expect, good, runs, sequential=sequential) == decision

    def is_whole_number_enough(runs: int) -> bool:
        good = passed * runs // total if is_above else -(-passed * runs // total)
        return is_decided(good, runs)

    def is_enough(runs: int) -> bool:
        # No whole number is so bad. It grows without steps, which bisection couldn't search.
        good = passed * runs / total + (-1 if is_above else 1)
        return 0 <= good <= runs and is_decided(good, runs)

    runs = smallest_sufficient(is_enough)
    if runs is None:
        return None
    while runs > total + 1 and is_whole_number_enough(runs - 1):
        runs -= 1
    return max(runs, total + 1)


def _more_clusters(expect: Expectation, counts: Counts, clusters: int) -> str:
    def is_enough(times: int) -> bool:
        more = Counter({key: number * times for key, number in counts.items()})
        return decide_about_population(expect, more, 0) != "inconclusive"

    times = smallest_sufficient(is_enough)
    unit = "cluster" if expect.cluster else "row"
    if times is None:
        return f"{amount(MAX_SUGGESTED * clusters, unit)} like these wouldn't decide"
    return f"about {amount(times * clusters, unit)} like these would decide"
