"""The text of the `AssertionError` for a run that isn't as expected."""

from __future__ import annotations

import io
from dataclasses import replace

from lve.pipeline.result import RunResult
from lve.reporting.reporter import SessionReport
from lve.reporting.summary_text import summary_lines
from lve.reporting.terminal import Terminal
from lve.reporting.text import TextReporter

SHOWN = 3
"""Most instances whose transcripts are shown."""


def explain(result: RunResult) -> str:
    """Return the verdicts of a run and the first transcripts of unexpected results."""
    stream = io.StringIO()
    terminal = Terminal(stream)
    reporter = TextReporter(terminal, detail="verbose", is_cut=True)
    # Without a folder, the report has no command for resuming, which doesn't belong here.
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
