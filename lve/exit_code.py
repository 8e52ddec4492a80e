"""The exit codes of all verbs."""

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
