"""Compares a pytest session with a baseline at its end, as `lve run --baseline` does."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from lve.pytest_plugin.session_end import SessionEnd

if TYPE_CHECKING:
    from lve.pipeline.gate import Gate
    from lve.results.session import SessionFolder


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
