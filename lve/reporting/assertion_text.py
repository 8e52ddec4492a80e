"""Why a run isn't as expected, as the text of an `AssertionError`."""

from __future__ import annotations

import io
from dataclasses import replace

from lve.pipeline.result import RunResult
from lve.reporting.reporter import SessionReport
from lve.reporting.summary_text import summary_lines
from lve.reporting.terminal import Terminal
from lve.reporting.text import TextReporter

SHOWN = 3
"""Instances whose transcripts are shown."""


def explain(result: RunResult) -> str:
    """Return the verdicts of a run that isn't as expected, and the first transcripts."""
    stream = io.StringIO()
    terminal = Terminal(stream)
    reporter = TextReporter(terminal, detail="verbose", is_cut=True)
    # Without the folder: which command goes on with the session is nothing for an exception.
    report = replace(SessionReport.of(result, strict=True), folder=None)
    terminal.write(f"exit code {report.exit_code}")
    for tally in result.summary.tallies.values():
        reporter.on_tally(tally)
    for line in summary_lines(report, terminal):
        terminal.write(line)
    shown = 0
    for one in result.iter_results():
        expect = result.summary.tallies[one.test, one.model].expect
        if one.verdict != expect.wanted and shown < SHOWN:
            reporter.on_result(one, expect)
            shown += 1
    return stream.getvalue()
