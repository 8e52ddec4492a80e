"""Decides expectations that count the results of a run: `at_least`, `at_most`.

Nothing is said about other results, so there is no confidence: 44 of 60 are at least 70 %.
"""

from __future__ import annotations

import math

from lve.spec.model import Expectation
from lve.verdicts.rates.statistics import Decision
from lve.verdicts.wording import amount


def decide_count(
    expect: Expectation, passed: int, judged: int, errors: int
) -> tuple[Decision | None, str]:
    """Return whether as many results passed as the test wants, and the count in words.

    The decision is None if errors leave it open, and `inconclusive` without results.

    Args:
        expect: an expectation with the claim `results`.
        passed: results that passed.
        judged: results that passed or failed.
        errors: results that ended in an error. Up to `max_errors` of them are left out. More could
            have passed or failed, and must not matter.
    """
    text = _text(expect, passed, judged, errors)
    if not judged + errors:
        return "inconclusive", text
    if errors <= expect.max_errors:
        return (_decide(expect, passed, judged) if judged else None), text
    total = judged + errors
    decisions = {_decide(expect, passed, total), _decide(expect, passed + errors, total)}
    return (decisions.pop() if len(decisions) == 1 else None), text


def _text(expect: Expectation, passed: int, judged: int, errors: int) -> str:
    """Return the count and what was expected: `44 of 60 passed (73.3%), expected at least 70%`."""
    share = f" ({math.floor(1000 * passed / judged) / 10:g}%)" if judged else ""
    left_out = ""
    if 0 < errors <= expect.max_errors:
        left_out = f", {amount(errors, 'error')} left out ({expect.max_errors:,} may be)"
    return f"{passed:,} of {judged:,} passed{share}{left_out}, expected {expect.wanted_rate}"


def _decide(expect: Expectation, passed: int, total: int) -> Decision:
    # Rounding must not matter: 0.7 of 10 results are 7, whatever 0.7 * 10 is.
    wanted = expect.threshold * total if expect.number is None else float(expect.number)
    if expect.comparison == ">=":
        return "passed" if passed >= wanted - 1e-9 * max(total, 1) else "failed"
    return "passed" if passed <= wanted + 1e-9 * max(total, 1) else "failed"
