"""Limits of time and work for one judgement.

Nothing interrupts a call into C: no signal, no timer, no other thread. So lve's own process judges
only what is known to take a moment: a checker says how much work a judgement is, and expressions
pay for theirs. All else goes to a process of its own (`lve.checkers.processes.aside`), with a
deadline and a limit of its memory.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

from lve.errors import CheckerError

HERE_S = 0.05
"""Seconds that the checkers of a test, or one checker's looks at many answers, may take together
in lve's own process."""
UNITS = 1_000_000
"""Steps of one evaluation: half a second of loop turns."""
REGEX_SECONDS = 0.5
"""Seconds for all regular expressions of one evaluation together."""


class LimitError(CheckerError, code="too_much_work"):
    """An expression or a regular expression would take too much time or memory."""


class Limits(NamedTuple):
    """Limits of one evaluation."""

    units: int = UNITS
    regex_seconds: float = REGEX_SECONDS
    work: int = 0
    """Comparisons of characters that a judgement may take."""
    stretch: int = 0
    """Comparisons until a search looks at the clock."""
    are_final: bool = True
    """Whether exceeding them is an error, and `work` and `stretch` don't count. If not, another
    process tries again without hurry."""


HERE = Limits(50_000, 0.05, work=5_000_000, stretch=2_000_000, are_final=False)
"""Limits of an evaluation in lve's own process, where everything else has to wait for it: a few
milliseconds, half a second at worst."""
BRIEFLY_HERE = Limits(1_000, 0.001, work=100_000, stretch=20_000, are_final=False)
"""The same for a checker that has used up its time there: a millisecond or
two."""


UNHURRIED = Limits()
"""Limits in a process that can be ended."""


class TooMuchHereError(Exception):
    """A judgement may take too long for lve's own process. Nothing has been done yet; another
    process can do it."""


class _Held(threading.local):  # a third of what a ContextVar costs, and a judgement never awaits
    limits = UNHURRIED


HELD = _Held()
"""`HELD.limits` apply to the evaluations that this thread begins next."""
