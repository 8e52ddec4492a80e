"""The exit codes of all verbs, and which of them a session ends with."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit code of a verb. Never change one: scripts depend on them.

    Attributes:
        meaning: the description of the code in docs/cli.md.
    """

    meaning: str

    def __new__(cls, value: int, meaning: str) -> ExitCode:
        """Make a member from its number and its meaning."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    as_expected = 0, "everything came out as expected"
    failed = 1, "a test failed or regressed"
    invalid = 2, "wrong usage, or an invalid test"
    errors = 3, "errors are left (infrastructure, a crashed checker)"
    inconclusive = (
        4,
        "inconclusive: an expectation could not be decided (0 with `--allow-inconclusive`)",
    )
    nothing_selected = 5, "nothing was selected"
    budget = 6, "the budget is used up"
    interrupted = 130, "interrupted"


def exit_code_of(
    *,
    interrupted: bool = False,
    budget_reached: bool = False,
    invalid_tests: int = 0,
    errors: int = 0,
    failed_tests: int = 0,
    inconclusive_tests: int = 0,
    done: int = 0,
    skipped_tests: int = 0,
) -> int:
    """Return the exit code of a session, for the worst thing that happened: 130 > 6 > 2 > 3 > 1 > 5
    > 4 > 0.

    First comes what cut the session short, because the rest is only partly known then. After that:
    tests that can't run, errors, failures, that nothing was selected, and undecided tests.

    Args:
        interrupted: whether the user stopped the session.
        budget_reached: whether the budget stopped it.
        invalid_tests: number of tests that can't be used.
        errors: number of results that are errors, without those that a test allows.
        failed_tests: number of tests that failed.
        inconclusive_tests: number of tests that could not be decided, unless that is allowed.
        done: number of instances with a result.
        skipped_tests: number of tests that say `skip`.
    """
    ranked = (
        (interrupted, ExitCode.interrupted),
        (budget_reached, ExitCode.budget),
        (invalid_tests, ExitCode.invalid),
        (errors, ExitCode.errors),
        (failed_tests, ExitCode.failed),
        (not (done or skipped_tests), ExitCode.nothing_selected),
        (inconclusive_tests, ExitCode.inconclusive),
    )
    return int(next((code for applies, code in ranked if applies), ExitCode.as_expected))
