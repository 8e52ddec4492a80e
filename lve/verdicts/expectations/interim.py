"""When to analyse a pass rate again while repeats are running."""

from __future__ import annotations

from lve.spec.spec import Expectation
from lve.verdicts.rates.statistics import decide_despite_errors, judge_rate

MOST_ERRORS = 20
"""Errors after which repeats end if nothing was judged: whoever errs so often goes on."""


def next_interim_analysis(
    expect: Expectation,
    passed: int,
    total: int,
    *,
    errors: int = 0,
    repeats_done: int,
    max_repeats: int,
) -> int | None:
    """Return after how many repeats of all rows to judge a rate again; None if no further
    repeat can change the verdict.

    The next analysis is at the earliest repeat that could decide, so until then repeats can run in
    parallel and none is wasted. It is after at most twice as many repeats as now, if results that
    are unlike most of those so far could decide.

    Args:
        expect: an expectation of kind `rate`.
        passed: runs that passed, over all instances and repeats.
        total: runs that passed or failed.
        errors: runs that ended in an error. They decide nothing, so they don't end the repeats,
            unless there are `MOST_ERRORS` and nothing else.
        repeats_done: number of repeats that every instance has had.
        max_repeats: number of repeats that it may have.
    """
    if repeats_done >= max_repeats or is_hopeless(total, errors):
        return None
    if not total:
        return min(max(1, 2 * repeats_done), max_repeats)
    if decide_despite_errors(expect, passed, total, errors, sequential=True) not in (
        None,
        "inconclusive",
    ):
        return None
    each = -(-(total + errors) // repeats_done)
    left = max_repeats - repeats_done
    if_passed = _repeats_until_decided(expect, passed, total, each, each, left)
    if_failed = _repeats_until_decided(expect, passed, total, 0, each, left)
    if if_passed is None and if_failed is None:
        return None
    is_above = passed >= expect.threshold * total
    likely, other = (if_passed, if_failed) if is_above else (if_failed, if_passed)
    steps = max(left if other is None else other, repeats_done)
    return repeats_done + min(steps, left if likely is None else likely)


def is_hopeless(total: int, errors: int) -> bool:
    """Whether repeats end because all results are errors; arguments as `next_interim_analysis`."""
    return not total and errors >= MOST_ERRORS


def _repeats_until_decided(
    expect: Expectation, passed: int, total: int, passing: int, each: int, most: int
) -> int | None:
    """Return how many more repeats with the same result decide; None if `most` don't.

    Args:
        expect: what the test expects.
        passed: results so far that passed.
        total: results so far.
        passing: results of each further repeat that pass.
        each: results of each further repeat.
        most: number of repeats that are left.
    """

    def is_decided(repeats: int) -> bool:
        counts = passed + repeats * passing, total + repeats * each
        return judge_rate(expect, *counts, sequential=True) != "inconclusive"

    if not is_decided(most):
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_decided(middle) else (middle, high)
    return high
