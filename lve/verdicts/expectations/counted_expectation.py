"""Decides expectations that count the results of a run: `at_least`, `at_most`, and a `pass_rate` of
these instances where to ask them again would give the same answers.

Nothing is said about other results, so there is no confidence: 44 of 60 are at least 70 %.
"""

from __future__ import annotations

import math
import operator

from lve.plurals import amount
from lve.spec.spec import Expectation
from lve.verdicts.rates.statistics import Decision

_COMPARE = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}


def decide_count(
    expect: Expectation, passed: int, judged: int, errors: int, missing: int = 0
) -> tuple[Decision | None, str]:
    """Return whether as many results passed as the test wants, and the count in words.

    The decision is None if errors or missing results leave it open, and `inconclusive` with fewer
    results than must pass, or no more than may pass: whatever they are, they tell nothing. Mostly
    only some of the test's rows were chosen.

    Args:
        expect: an expectation that counts results.
        passed: results that passed.
        judged: results that passed or failed.
        errors: results that ended in an error. Up to `max_errors` of them are left out. More could
            have passed or failed, and must not matter.
        missing: results that there would be if all rows had an answer. They could pass or fail,
            too.
    """
    text = _text(expect, passed, judged, errors)
    if not judged + errors:
        return "inconclusive", text
    if expect.number is not None and _too_few(expect, expect.number, judged + errors + missing):
        return "inconclusive", f"{text}: too few results to tell"
    unclear = missing if expect.allows_errors(errors) else errors + missing
    total = judged + unclear
    if not total:
        return None, text
    decisions = {_decide(expect, passed, total), _decide(expect, passed + unclear, total)}
    return (decisions.pop() if len(decisions) == 1 else None), text


def can_be_met(expect: Expectation, results: int) -> bool:
    """Whether so many results (from 1) can meet an expectation that counts them."""
    best = results if expect.comparison in (">=", ">") else 0
    return always_met(expect, results) or decide_count(expect, best, results, 0)[0] == "passed"


def always_met(expect: Expectation, results: int) -> bool:
    """Whether an expectation of a rate is met whatever so many results (from 1) are."""
    if not expect.counts_results:
        return (expect.comparison, expect.threshold) in ((">=", 0.0), ("<=", 1.0))
    if expect.comparison in ("<=", "<") and expect.number is not None:
        return _too_few(expect, expect.number, results)
    worst = 0 if expect.comparison in (">=", ">") else results
    return decide_count(expect, worst, results, 0)[0] == "passed"


def has_failed_for_good(expect: Expectation, passed: int) -> bool:
    """Whether no further result can meet an expectation that counts results: more than `at_most`
    have passed. What a share is of isn't known before all results are there."""
    limit = expect.number if expect.comparison == "<=" else None
    return limit is not None and passed > limit


def _too_few(expect: Expectation, number: int, results: int) -> bool:
    """Whether so many results can't miss a number that may pass, or can't reach it."""
    return number >= results if expect.comparison in ("<=", ">") else number > results


def _text(expect: Expectation, passed: int, judged: int, errors: int) -> str:
    """Return the count and what was expected: `44 of 60 passed (73.3%), expected at least 70%`."""
    share = f" ({math.floor(1000 * passed / judged) / 10:g}%)" if judged else ""
    left_out = ""
    if errors and expect.allows_errors(errors):
        left_out = f", {amount(errors, 'error')} left out ({expect.max_errors:,} may be)"
    why = " (counted, because repeats would be alike)" if expect.claim == "these" else ""
    expectation = f"expected {expect.wanted_rate}{why}"
    return f"{passed:,} of {judged:,} passed{share}{left_out}, {expectation}"


def _decide(expect: Expectation, passed: int, total: int) -> Decision:
    # Rounding must not matter: 0.7 of 10 results are 7, whatever 0.7 * 10 is.
    threshold = expect.threshold * total if expect.number is None else float(expect.number)
    nearest = round(threshold)
    if abs(threshold - nearest) <= 1e-9 * max(total, 1):
        threshold = nearest
    return "passed" if _COMPARE[expect.comparison](passed, threshold) else "failed"
