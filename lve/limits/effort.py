"""Limits the work that lve does for one test, so that a hostile one can't hold up the others.

Files, texts and numbers of values are limited, but a million cheap mistakes still add up. So work
that grows with a test's document calls `checkpoint`. And each instance has a limit of its own, but
thousands that just stay within it would still block lve for minutes: an `Allowance` is for all
instances of a test together."""

from __future__ import annotations

import threading
from time import thread_time

from lve.errors import LveError

SECONDS = 10.0
"""Processor time for one step of a test: reading it, building its prompts, checking it. Real tests
take milliseconds."""
COMPARISONS = 20_000
"""Words that are compared for all suggestions ("did you mean") about one test. Each takes up to 0.1
ms."""


class SlowTestError(LveError, code="slow_test"):
    """Reading or checking a test takes more time than a test may take."""


class Effort:
    """Context manager for a step of one test. It can be entered several times, one after the other;
    then the steps share its time.

    Inside another `Effort`, the earlier end counts.
    """

    __slots__ = ("_began", "_comparisons", "_end", "_left", "_outer")

    def __init__(self) -> None:
        self._left = SECONDS
        self._comparisons = COMPARISONS
        self._outer: Effort | None = None
        self._began = self._end = 0.0

    def __enter__(self) -> None:
        self._outer, self._began = _ACTIVE.effort, thread_time()
        self._end = self._began + self._left
        if self._outer is not None:
            self._end = min(self._end, self._outer._end)
        _ACTIVE.effort = self

    def __exit__(self, *_: object) -> None:
        self._left -= thread_time() - self._began
        _ACTIVE.effort = self._outer

    def check(self, doing: str) -> None:
        """Do what `checkpoint` does."""
        if thread_time() > self._end:
            raise SlowTestError(
                f"{doing} takes more than {SECONDS:g} s of processor time, and no test may"
                " take so long: make it smaller, or split it"
            )

    def take(self, comparisons: int) -> bool:
        """Do what `may_compare` does."""
        self._comparisons -= comparisons
        return self._comparisons >= 0


class _Active(threading.local):
    effort: Effort | None = None


_ACTIVE = _Active()


def checkpoint(doing: str) -> None:
    """End the current step if its time is used up. Costs less than a microsecond.

    Args:
        doing: what takes the time, such as `describing its problems`.

    Raises:
        SlowTestError: it is used up.
    """
    effort = _ACTIVE.effort
    if effort is not None:
        effort.check(doing)


def may_compare(comparisons: int) -> bool:
    """Use up comparisons of words for a suggestion; return False if so many aren't left."""
    effort = _ACTIVE.effort
    return effort is None or effort.take(comparisons)


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
