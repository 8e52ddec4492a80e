"""The exit code of a session: the worst thing that happened.

What cut the session short comes first, because everything else is only partly known then; then
what was never run, what has no verdict, what failed, and what the statistics can't tell.
"""

from __future__ import annotations

from dataclasses import dataclass

from lve.exit_code import ExitCode


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What the exit code depends on."""

    interrupted: bool = False
    budget_reached: bool = False
    invalid_tests: int = 0
    errors: int = 0
    """Instances that ended in an error."""
    failed_tests: int = 0
    inconclusive_tests: int = 0
    done: int = 0
    """Instances with any result."""
    skipped_tests: int = 0


def exit_code(facts: SessionFacts, *, strict: bool = False) -> ExitCode:
    """Return the exit code: 130 > 6 > 2 > 3 > 1 > 4 > 5 > 0."""
    ranked = (
        (facts.interrupted, ExitCode.interrupted),
        (facts.budget_reached, ExitCode.budget),
        (facts.invalid_tests > 0, ExitCode.invalid),
        (facts.errors > 0, ExitCode.errors),
        (facts.failed_tests > 0, ExitCode.failed),
        (strict and facts.inconclusive_tests > 0, ExitCode.inconclusive),
        (facts.done == 0 and facts.skipped_tests == 0, ExitCode.nothing_selected),
    )
    return next((code for applies, code in ranked if applies), ExitCode.as_expected)
