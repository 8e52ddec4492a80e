"""How a pytest session ends: what is said last, whether its record is whole, and what Ctrl-C does
then. The first one has ended the tests, the next ends the wait for what is still under way."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lve.conventions import RATE_PROPERTY

MAX_WARNINGS = 10
"""That are shown at the end."""
MAX_RATES = 20
"""Of passed tests that are shown at the end."""


@dataclass(frozen=True)
class SessionEnd:
    """How a session ended."""

    lines: list[str]
    """What is worth saying."""
    has_failed: bool = False
    """Whether its record isn't whole, or it is worse than its baseline."""
    was_interrupted: bool = False
    """Whether Ctrl-C ended the wait for what was under way."""
    folder: Path | None = None
    """Of its record."""


def warning_lines(warnings: Iterable[str]) -> list[str]:
    """Return warnings as lines for the terminal, the first few."""
    known = list(dict.fromkeys(warnings))
    lines = [f"lve: {warning}" for warning in known[:MAX_WARNINGS]]
    if len(known) > MAX_WARNINGS:
        lines.append(f"lve: ... and {len(known) - MAX_WARNINGS} more warnings")
    return lines


def rate_lines(terminal: Any) -> list[str]:
    """Return the pass rates of passed tests as lines for the terminal, the first few. Those of
    others stand with their failure."""
    rates = [
        f"lve: {report.nodeid}: {value}"
        for report in terminal.stats.get("passed", ())
        for name, value in getattr(report, "user_properties", ())
        if name == RATE_PROPERTY and report.when == "call"
    ]
    if len(rates) > MAX_RATES:
        rates[MAX_RATES:] = [f"lve: ... and {len(rates) - MAX_RATES} more pass rates"]
    return rates


CLOSE: pytest.StashKey[Callable[[], SessionEnd]] = pytest.StashKey()
"""Ends what runs in this process; there as soon as anything does."""
HAS_WORKERS: pytest.StashKey[bool] = pytest.StashKey()
"""Whether this process controls those of pytest-xdist."""
LAST_LINES: pytest.StashKey[list[str]] = pytest.StashKey()
"""For the end of the terminal's output."""


@contextmanager
def on_interrupt(do: Callable[[], object]) -> Iterator[list[int]]:
    """Call something at every Ctrl-C until the block ends, instead of raising: pytest prints a
    traceback of what is raised while it ends.

    Yields:
        A list that has the signals that have come, at the end of the block.
    """
    signals: list[int] = []

    def on_signal(number: int, _: Any) -> None:
        signals.append(number)
        do()

    try:
        before = signal.signal(signal.SIGINT, on_signal)
    except ValueError:  # not the main thread, which alone gets signals
        yield signals
        return
    try:
        yield signals
    finally:
        signal.signal(signal.SIGINT, before)


def tell_waiting(session: pytest.Session) -> None:
    """Tell that requests are still under way, on pytest's terminal, if it has one."""
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None:  # a worker of pytest-xdist, or `-p no:terminal`
        return
    waiting = "waiting for what is under way"
    terminal.ensure_newline()
    if session.exitstatus == pytest.ExitCode.INTERRUPTED:
        terminal.write_line(f"lve: interrupted: {waiting} (Ctrl-C again to stop now)")
    else:
        terminal.write_line(f"lve: {waiting} (Ctrl-C to stop now)")
    terminal.flush()
