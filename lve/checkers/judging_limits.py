"""Limits of time and work for one judgement.

No signal, timer or thread can interrupt a call into C. So lve's own process judges only what is
sure to be quick: checkers estimate their work, and expressions count their steps. Everything else
runs in another process (`lve.checkers.processes.out_of_process`), with a deadline and a limit for
its memory.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

from lve.errors import CheckerError
from lve.named_tuples import NamedTuple

IN_PROCESS_S = 0.05
"""Total seconds in lve's own process for the checkers of a test, or for one checker's judgements of
several answers."""
UNITS = 1_000_000
"""Maximum steps of one evaluation: about half a second of loop iterations."""
MAX_DIGITS = 400
"""The most digits of a number that is read or rounded, and its largest exponent. Longer ones in
answers are skipped."""
MAX_SHOWN = 5
"""The most calls, groups of answers or reasons of checks that a reason shows."""
MAX_ITEMS = 100
"""The most items of an argument that are compared with each other, or with all of an answer."""
REGEX_SECONDS = 0.5
"""Total seconds for the regular expressions of one evaluation."""


class LimitError(CheckerError, code="too_much_work"):
    """An expression or a regular expression takes too much time or memory."""


class Limits(NamedTuple):
    """Limits of one evaluation."""

    units: int = UNITS
    """Steps of an expression."""
    regex_seconds: float = REGEX_SECONDS
    """Seconds for its regular expressions."""
    work: int = 0
    """The most work, as `RunnableChecker.work` estimates it. Ignored if the limits are final."""
    stretch: int = 0
    """The most comparisons of a regular expression before it checks its deadline. Ignored if the
    limits are final."""
    are_final: bool = True
    """Whether exceeding them is an error. If not, another process tries again with higher
    limits."""


IN_PROCESS = Limits(50_000, 0.05, work=5_000_000, stretch=2_000_000, are_final=False)
"""Limits in lve's own process, where everything else waits for the judgement: usually a few
milliseconds, at most half a second."""
BRIEFLY_IN_PROCESS = Limits(1_000, 0.001, work=100_000, stretch=20_000, are_final=False)
"""Limits there for a checker that has used up its allowance: one or two milliseconds."""
OUT_OF_PROCESS = Limits()
"""Limits in a process that can be killed."""


class NeedsProcessError(Exception):
    """A judgement may take too long for lve's own process. It has had no effect, so another process
    can run it from the start."""


def total_work(works: Iterable[int | None]) -> int | None:
    """Return the sum of some works; None if one of them has no bound."""
    total = 0
    for work in works:
        if work is None:
            return None
        total += work
    return total


class _ActiveLimits(threading.local):  # costs a third of a ContextVar, and a judgement never awaits
    limits = OUT_OF_PROCESS


ACTIVE = _ActiveLimits()
"""Its `limits` apply to the evaluations that this thread starts."""
