"""How a pytest session ends: what is said last, and whether its record is whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pytest

MAX_WARNINGS = 10
"""That are shown at the end."""


@dataclass(frozen=True)
class SessionEnd:
    """How a session ended."""

    lines: list[str]
    """What is worth saying."""
    has_failed: bool = False
    """Whether its record isn't whole."""
    was_interrupted: bool = False
    """Whether Ctrl-C ended the wait for what was under way."""


def warning_lines(warnings: Iterable[str]) -> list[str]:
    """Return warnings as lines for the terminal, the first few."""
    known = list(dict.fromkeys(warnings))
    lines = [f"lve: {warning}" for warning in known[:MAX_WARNINGS]]
    if len(known) > MAX_WARNINGS:
        lines.append(f"lve: ... and {len(known) - MAX_WARNINGS} more warnings")
    return lines


CLOSE: pytest.StashKey[Callable[[], SessionEnd]] = pytest.StashKey()
"""Ends what runs in this process; there as soon as anything does."""
HAS_WORKERS: pytest.StashKey[bool] = pytest.StashKey()
"""Whether this process controls those of pytest-xdist."""
LAST_LINES: pytest.StashKey[list[str]] = pytest.StashKey()
"""For the end of the terminal's output."""
