"""The one place that decides a session's exit code (DESIGN section 7). The numbers are frozen."""

from __future__ import annotations

from dataclasses import dataclass

OK = 0
FAILED = 1
INVALID = 2
ERRORS = 3
INCONCLUSIVE = 4
NOTHING_SELECTED = 5
BUDGET_REACHED = 6
INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Facts:
    """What decides the exit code."""

    is_interrupted: bool = False
    """Ctrl-C."""
    is_over_budget: bool = False
    """A budget ended the session early."""
    invalid: int = 0
    """Tests that can't be used, wholly or in part."""
    errors: int = 0
    """Instances without a verdict: infrastructure, crashed checkers."""
    failed: int = 0
    """Tests that failed."""
    regressed: int = 0
    """Instances that got worse against a baseline, where one was given."""
    inconclusive: int = 0
    """Tests whose statistics can't tell yet."""
    selected: int = 0
    """Tests that were selected, skipped and invalid ones included."""


def exit_code(facts: Facts, *, strict: bool = False) -> int:
    """Return the exit code.

    What makes the numbers incomplete comes first (interrupted, budget, invalid tests, errors), then
    what they say (failed, inconclusive): whoever sees 1 knows that everything else was fine.

    Args:
        facts: what happened.
        strict: whether inconclusive tests count.
    """
    ladder = (
        (facts.is_interrupted, INTERRUPTED),
        (facts.is_over_budget, BUDGET_REACHED),
        (facts.invalid > 0, INVALID),
        (facts.errors > 0, ERRORS),
        (facts.failed > 0 or facts.regressed > 0, FAILED),
        (strict and facts.inconclusive > 0, INCONCLUSIVE),
        (facts.selected == 0, NOTHING_SELECTED),
    )
    return next((code for holds, code in ladder if holds), OK)
