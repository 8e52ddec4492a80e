"""The words for counts and rates, and what to do after a checker has crashed.

A row is one set of args of a test. A result is what came out for a row, a repeat and a model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from lve.checkers.contract import Outcome
from lve.plurals import amount

_WORDS: tuple[tuple[Outcome, str], ...] = (
    ("passed", "passed"),
    ("failed", "failed"),
    ("error", "with errors"),
    ("inconclusive", "inconclusive"),
)


def unbound_text(count: int) -> str:
    """Return that recorded answers may be for another prompt.

    Args:
        count: of the answers, from 1.
    """
    is_for = (
        "doesn't say which prompt it is for"
        if count == 1
        else "don't say which prompt they are for"
    )
    return f"{amount(count, 'recorded answer')} {is_for} (unbound)"


def stale_count_text(count: int) -> str:
    """Return that recorded answers are for another prompt.

    Args:
        count: of the answers, from 1.
    """
    are = "is for another prompt and was" if count == 1 else "are for another prompt and were"
    return f"{amount(count, 'recorded answer')} {are} not judged (stale)"


def judge_again(session: str) -> str:
    """Return what to do if a checker has crashed: judge the existing answers again.

    Args:
        session: the arguments of `lve score` for the session.
    """
    return (
        f"a checker couldn't judge: mend it, then judge the same answers with: lve score {session}"
    )


def bound(value: float) -> str:
    """Format the end of an interval with 3 decimals, or with 6 if that would round it to 0 or 1."""
    text = f"{value:.3f}"
    return f"{value:.6f}" if float(text) in (0, 1) and value not in (0, 1) else text


def share_text(value: float) -> str:
    """Format a share with 3 digits, or with 6 if that would round it to 0 or 1: 2,999 of 3,000
    aren't 1."""
    text = f"{value:.3g}"
    return f"{value:.6f}" if float(text) in (0, 1) and value not in (0, 1) else text


def percent(value: float, decimals: int = 0) -> str:
    """Format a share in percent: `100%` and `0%` only where it is exactly that."""
    hundredths = 100 * value
    if 99 < hundredths < 100:
        return ">99.9%" if hundredths > 99.9 else f"{hundredths:.1f}%"
    if 0 < hundredths < 1:
        return "<0.1%" if hundredths < 0.1 else f"{hundredths:.1f}%"
    return f"{hundredths:.{decimals}f}%"


def points_text(share: float) -> str:
    """Return a difference of rates in points: `67 points`, or `7.9 points` if it is small."""
    points = 100 * share
    return f"{points:.0f} points" if points >= 20 else f"{points:.1f} points"


def range_text(low: float, high: float, confidence: float, *, has_bounds: bool) -> str:
    """Return how sure a rate is, as what it is: `95 % interval 0.82 to 0.97`, or, of one-sided
    bounds, `at least 0.82 and at most 0.97, each with 95 % confidence`.

    Args:
        low: the lower end, from 0 to 1.
        high: the upper end.
        confidence: of the interval, or of each bound.
        has_bounds: whether each end alone has the confidence.
    """
    sure = f"{confidence * 100:g} %"
    if not has_bounds:
        return f"{sure} interval {bound(low)} to {bound(high)}"
    # A bound is never said to be better than it is.
    at_least, at_most = _rounded(low, math.floor), _rounded(high, math.ceil)
    if low <= 0 and high < 1:
        return f"at most {at_most} with {sure} confidence"
    if high >= 1 and low > 0:
        return f"at least {at_least} with {sure} confidence"
    return f"at least {at_least} and at most {at_most}, each with {sure} confidence"


def _rounded(value: float, down_or_up: Callable[[float], int]) -> str:
    """Format a bound with 3 decimals, or with 6 if that would make it 0 or 1."""
    rounded = down_or_up(round(1000 * value, 6)) / 1000
    if rounded in (0, 1) and value not in (0, 1):
        return f"{down_or_up(round(1e6 * value, 3)) / 1e6:.6f}"
    return f"{rounded:.3f}"


def short_range(low: float, high: float, *, has_bounds: bool) -> str:
    """Return the same in percent, for a cell of a table: `82% to 97%`, or `at least 82%, at most
    97%`."""
    if has_bounds:
        return f"at least {percent(low)}, at most {percent(high)}"
    return f"{percent(low)} to {percent(high)}"


def spread_text(results: int, *, rows: int, models: int = 1, repeats: int = 1) -> str:
    """Return of what results are, if not each is that of another row: `1 row, 43 repeats`. Else an
    empty text.

    Args:
        results: how many there are.
        rows: of all tests.
        models: that answered.
        repeats: the most that a row has, for one model.
    """
    if results == rows:
        return ""
    parts = [amount(rows, "row")]
    parts += [amount(models, "model")] if models > 1 else []
    if repeats > 1:
        is_each = results == rows * models * repeats
        each = " each" if rows * models > 1 else ""
        parts.append(
            f"{amount(repeats, 'repeat')}{each}" if is_each else f"up to {repeats} repeats"
        )
    return ", ".join(parts)


def tests_text(
    verdicts: Mapping[Outcome, int],
    *,
    advisory: Mapping[Outcome, int],
    tests: int,
    models: int,
    skipped: int,
    invalid: int,
) -> str:
    """Return the numbers of tests by verdict: `3 tests: 2 passed, 1 with errors`.

    Args:
        verdicts: verdict -> number of tests (times models).
        advisory: the same for advisory verdicts.
        tests: number of tests with a verdict.
        models: number of models that they ran against.
        skipped: number of skipped tests.
        invalid: number of invalid tests.
    """
    parts = [f"{verdicts[outcome]} {word}" for outcome, word in _WORDS if verdicts[outcome]]
    advice = sum(advisory.values())
    parts += [f"{advice} advisory{_advice(advisory)}"] if advice else []
    parts += [f"{skipped} skipped"] if skipped else []
    parts += [f"{invalid} invalid"] if invalid else []
    against = f" against {models} models" if models > 1 else ""
    return f"{amount(tests + skipped + invalid, 'test')}{against}: {', '.join(parts)}"


def _advice(verdicts: Mapping[Outcome, int]) -> str:
    parts = [f"{verdicts[outcome]} {word}" for outcome, word in _WORDS if verdicts[outcome]]
    return f" ({', '.join(parts)})"


def unwanted_text(unwanted: Outcome, count: int, judged: int) -> str:
    """Return how many results have the verdict that their test doesn't expect.

    Args:
        unwanted: `failed`, or `passed` for a test that documents a weakness.
        count: how many have it.
        judged: how many passed or failed.
    """
    if unwanted == "passed":
        return (
            f"{count} of {judged} passed, and the test expects all to fail: the weakness it "
            "documents doesn't show (any more)"
        )
    return f"{count} of {judged} failed"


def results_text(
    verdicts: Mapping[Outcome, int],
    *,
    expected_failures: int,
    rows: int,
    models: int = 1,
    repeats: int = 1,
) -> str:
    """Return the numbers of results by verdict: `3 rows: 3 passed`, or, if rows have several
    results, `43 results (1 row, 43 repeats): 43 passed`.

    Args:
        verdicts: verdict -> number of results.
        expected_failures: how many of those that failed were expected to.
        rows: how many rows they are of.
        models: how many models answered.
        repeats: the most that a row has, for one model.
    """
    counts = {**verdicts, "failed": verdicts["failed"] - expected_failures}
    parts = [
        amount(count, "error") if outcome == "error" else f"{count:,} {word}"
        for outcome, word in _WORDS
        if (count := counts.get(outcome, 0))
    ]
    parts += [f"{expected_failures:,} failed as expected"] if expected_failures else []
    total = sum(verdicts.values())
    spread = spread_text(total, rows=rows, models=models, repeats=repeats) if total else ""
    head = f"{amount(total, 'result')} ({spread})" if spread else amount(total, "row")
    return f"{head}: {', '.join(parts) or 'none was run'}"
