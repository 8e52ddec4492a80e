"""What a session needs before its first test runs: a place for its record, and the baseline that it
is compared with at its end, as `lve run --baseline` does."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from lve.pytest_plugin import options
from lve.pytest_plugin.session.session_end import SessionEnd

if TYPE_CHECKING:
    from lve.pipeline.gate import Gate
    from lve.results.session import SessionFolder

_GATE: pytest.StashKey[Gate | None] = pytest.StashKey()


def prepare(config: pytest.Config) -> None:
    """Read the baseline, if one is given, once tests are collected.

    Raises:
        pytest.UsageError: it can't be read.
    """
    asked = options.read(config).run
    if asked.baseline is None:
        return
    from lve.errors import LveError
    from lve.pipeline.gate import Gate

    try:
        config.stash[_GATE] = Gate.of(asked, config.stash[options.WORKSPACE].settings)
    except LveError as error:
        raise pytest.UsageError(f"--lve-baseline: {error.message_with_code}") from error


def refuse_unwritable(config: pytest.Config) -> None:
    """Refuse a place for the session that the user gives and that can't be written: each test would
    say so. In a folder of lve's own choice, tests of other kinds go on.

    Raises:
        pytest.UsageError: it can't be.
    """
    from lve.errors import LveError
    from lve.results.session_file import make_runs_folder

    asked = options.read(config).run
    if asked.state is None:
        return
    try:
        make_runs_folder(asked.state)
    except LveError as error:
        raise pytest.UsageError(error.message_with_code) from error


def gate_of(config: pytest.Config) -> Gate | None:
    """Return what compares the session with a baseline; None where none is given."""
    return config.stash.get(_GATE, None)


def gated_end(gate: Gate, folder: SessionFolder) -> SessionEnd:
    """Return what the comparison says, and whether it fails the run.

    Args:
        gate: the baseline.
        folder: of the session, which has ended.
    """
    from lve.reporting.compared_text import summary_lines
    from lve.reporting.terminal import Terminal

    warnings: list[str] = []
    gated = gate.compared(folder, warnings.append)
    lines = [f"lve: {warning}" for warning in warnings]
    if gated.comparison is None:
        return SessionEnd([*lines, f"lve: not compared: {gated.problem}"], has_failed=True)
    found = gated.comparison
    lines.append(f"lve: compared with {found.before.name}:")
    plain = Terminal(io.StringIO())  # pytest has its own colours
    lines += [f"lve:     {line}" for line in summary_lines(found, plain)]
    return SessionEnd(lines, has_failed=gated.has_regressed)
