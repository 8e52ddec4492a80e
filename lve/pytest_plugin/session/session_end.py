"""The end of a pytest session: the last lines of the output, whether the session was written, and
Ctrl-C. The first Ctrl-C ends the tests; the next one ends the wait for pending requests."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from lve.data_classes import dataclass
from lve.pytest_plugin.item_protocol import RATE_PROPERTY

MAX_WARNINGS = 10
"""Warnings that are shown at the end."""
MAX_RATES = 20
"""Pass rates of passed tests that are shown at the end."""


@dataclass(frozen=True)
class SessionEnd:
    """How a session ended."""

    lines: list[str]
    """Lines to print at the end."""
    has_failed: bool = False
    """Whether the session could not be written completely, or regressed from its baseline."""
    was_interrupted: bool = False
    """Whether Ctrl-C ended the wait for pending requests."""
    folder: Path | None = None
    """The session's folder."""


def warning_lines(warnings: Iterable[str]) -> list[str]:
    """Return the first warnings as lines for the terminal, each once."""
    distinct = list(dict.fromkeys(warnings))
    lines = [f"lve: {warning}" for warning in distinct[:MAX_WARNINGS]]
    if len(distinct) > MAX_WARNINGS:
        lines.append(f"lve: ... and {len(distinct) - MAX_WARNINGS} more warnings")
    return lines


def rate_lines(terminal: Any) -> list[str]:
    """Return the first pass rates of passed tests as lines for the terminal. The text of a failure
    includes the rate of a failed test."""
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
"""Ends lve's session in this process; set when the session starts."""
HAS_WORKERS: pytest.StashKey[bool] = pytest.StashKey()
"""Whether this process is the controller of pytest-xdist's workers."""
LAST_LINES: pytest.StashKey[list[str]] = pytest.StashKey()
"""Lines for the end of the terminal's output."""


TERMINATED: pytest.StashKey[bool] = pytest.StashKey()
"""Whether a SIGTERM has ended the run."""


def end_at_sigterm(config: pytest.Config) -> None:
    """Let SIGTERM end pytest as Ctrl-C does, so that the session's end is written, unless it means
    something else here. CI systems send it when a job is cancelled or takes too long."""

    def on_signal(*_: object) -> None:
        config.stash[TERMINATED] = True
        raise KeyboardInterrupt

    def restore() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        with suppress(ValueError):  # not the main thread
            signal.signal(signal.SIGTERM, on_signal)
            config.add_cleanup(restore)


def end_by_sigterm() -> None:
    """End this process by SIGTERM, as it would have ended without lve."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.raise_signal(signal.SIGTERM)


@contextmanager
def on_interrupt(do: Callable[[], object]) -> Iterator[list[int]]:
    """Call `do` at every Ctrl-C and SIGTERM until the block ends. Nothing is raised, because pytest
    would print a traceback at that stage.

    Yields:
        The signals received so far; the list grows during the block.
    """
    signals: list[int] = []

    def on_signal(number: int, _: object) -> None:
        signals.append(number)
        do()

    try:
        before = {kind: signal.signal(kind, on_signal) for kind in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # only the main thread gets signals, and this isn't it
        yield signals
        return
    try:
        yield signals
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def print_waiting(session: pytest.Session) -> None:
    """Print on pytest's terminal that requests are still pending."""
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None:  # a worker of pytest-xdist, or `-p no:terminal`
        return
    waiting = "waiting for pending requests"
    terminal.ensure_newline()
    if session.exitstatus == pytest.ExitCode.INTERRUPTED:
        terminal.write_line(f"lve: interrupted: {waiting} (Ctrl-C again to stop now)")
    else:
        terminal.write_line(f"lve: {waiting} (Ctrl-C to stop now)")
    terminal.flush()
