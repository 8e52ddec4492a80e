"""What one judgement may take, here and anywhere.

Nothing interrupts a call into C: no signal, no timer, no other thread. So lve's own process judges
only what is known to take a moment: a checker says how much work a judgement is, and expressions
pay for theirs. All else goes to a process of its own (`lve.checkers.processes.aside`), with a
deadline and a limit of its memory.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from lve.errors import CheckerError

UNITS = 1_000_000
"""Of one evaluation: half a second of loop turns."""
REGEX_SECONDS = 0.5
"""All regular expressions of one evaluation together."""


class LimitError(CheckerError):
    """An expression or a regular expression would take too much time or memory."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one evaluation may take."""

    units: int = UNITS
    regex_seconds: float = REGEX_SECONDS
    are_final: bool = True
    """Whether what goes beyond them is given up; if not, it is done somewhere else."""


SMALL_WORK = 5_000_000
"""Comparisons of characters, or as long: some milliseconds."""
HERE = Limits(units=50_000, regex_seconds=0.05, are_final=False)
"""What an evaluation may take in lve's own process: while it goes on, all else waits."""


class TooMuchHereError(Exception):
    """A judgement may take longer than lve's own process can wait. Nothing has happened, another
    process can do it."""


class _Held(threading.local):  # a third of what a ContextVar costs, and a judgement never awaits
    limits = Limits()


HELD = _Held()
"""`HELD.limits` are those of the evaluations that begin now in this thread."""
