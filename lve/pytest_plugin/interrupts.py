"""Ctrl-C while pytest ends: the first one has ended the tests, the next ends the wait for what is
still under way."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


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
