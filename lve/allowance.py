"""The time that lve's own process has for one task of a test, over all instances.

Each instance may just stay within its limits. So that thousands of them don't keep lve busy for
minutes, their time is added up.
"""

from __future__ import annotations

SECONDS = 1.0
"""For all instances together."""
SECONDS_OF_EACH = 0.0002
"""What each instance adds; most take a tenth of it."""


class Allowance:
    """The time that is left for a task."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = SECONDS

    @property
    def is_used_up(self) -> bool:
        """Whether the task should be done somewhere else, or not at all."""
        return self.left <= 0

    def take(self, seconds: float) -> None:
        """Take the time of an instance. A short one takes nothing from a full allowance."""
        self.left = min(self.left + SECONDS_OF_EACH - seconds, SECONDS)
