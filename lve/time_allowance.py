"""Limits the time that a test's instances may take in lve's own process, added up.

Each instance has a limit of its own. Thousands that just stay within it would still block lve for
minutes.
"""

from __future__ import annotations

TOTAL_S = 1.0
"""Time for all instances of a test together."""
PER_INSTANCE_S = 0.0002
"""Time that each instance adds to the allowance. Most instances take a tenth of it."""


class Allowance:
    """The time that is left for one task of a test, such as judging."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = TOTAL_S

    @property
    def is_used_up(self) -> bool:
        """Whether the task should move to another process, or be refused."""
        return self.left <= 0

    def take(self, seconds: float) -> None:
        """Subtract the time that an instance took, and add `PER_INSTANCE_S`.

        The allowance never exceeds `TOTAL_S`.
        """
        self.left = min(self.left + PER_INSTANCE_S - seconds, TOTAL_S)
