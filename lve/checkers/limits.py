"""What one evaluation of an expression or a pattern may take."""

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


class _Held(threading.local):  # a third of what a ContextVar costs, and a judgement never awaits
    limits = Limits()


HELD = _Held()
"""`HELD.limits` are those of the evaluations that begin now in this thread."""
