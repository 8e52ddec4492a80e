"""Checks the session folder and the baseline before the first test, and compares the session with
the baseline at its end, like `lve run --baseline`."""

from __future__ import annotations

import io

import pytest

from lve.errors import LveError
from lve.pipeline.gate import Gate
from lve.pytest_plugin.options import WORKSPACE, options_of
from lve.pytest_plugin.session.session_end import SessionEnd
from lve.reporting.compared_text import gated_lines
from lve.reporting.terminal import Terminal
from lve.sessions.session_file import make_runs_folder
from lve.sessions.session_folder import SessionFolder

_GATE: pytest.StashKey[Gate | None] = pytest.StashKey()


def prepare(config: pytest.Config) -> None:
    """Read the baseline, if one is given. Call it when the tests are collected.

    Raises:
        pytest.UsageError: it can't be read, or two gates are chosen.
    """
    run_options = options_of(config).run
    if run_options.baseline is None and not run_options.names_two_gates:
        return

    try:
        config.stash[_GATE] = Gate.of(run_options, config.stash[WORKSPACE].settings)
    except LveError as error:
        where = "--lve-baseline: " if run_options.baseline is not None else ""
        raise pytest.UsageError(f"{where}{error.message_with_code}") from error


def refuse_unwritable(config: pytest.Config) -> None:
    """Refuse a `--lve-session-dir` that can't be written, which otherwise each test would report.

    lve's default folder isn't checked, so that pytest can still run the other tests.

    Raises:
        pytest.UsageError: it can't be written.
    """
    run_options = options_of(config).run
    if run_options.state is None:
        return
    try:
        make_runs_folder(run_options.state)
    except LveError as error:
        raise pytest.UsageError(error.message_with_code) from error


def gate_of(config: pytest.Config) -> Gate | None:
    """Return the gate that compares the session with its baseline; None without a baseline."""
    return config.stash.get(_GATE, None)


def gated_end(gate: Gate, folder: SessionFolder, *, allows_inconclusive: bool) -> SessionEnd:
    """Compare an ended session with its baseline; return the lines to print, and whether the
    comparison fails the run.

    Args:
        gate: the gate with the baseline.
        folder: the session's folder.
        allows_inconclusive: whether a gate that can't tell lets the run pass.
    """
    warnings: list[str] = []
    gated = gate.compared(folder, warnings.append)
    lines = [f"lve: {warning}" for warning in warnings]
    if gated.comparison is None:
        return SessionEnd([*lines, f"lve: not compared: {gated.problem}"], has_failed=True)
    comparison = gated.comparison
    lines.append(f"lve: compared with {comparison.before.name}:")
    plain = Terminal(io.StringIO())  # pytest has its own colours
    lines += [f"lve:     {line}" for line in gated_lines(comparison, plain)]
    allowed = ("passed", "undecided") if allows_inconclusive else ("passed",)
    return SessionEnd(lines, has_failed=not any(map(gated.says, allowed)))
