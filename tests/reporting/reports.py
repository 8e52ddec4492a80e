"""Reports of made-up sessions."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from support.results import make_result

from lve.pipeline.result import RunResult
from lve.reporting import REPORTERS, SessionReport
from lve.reporting.reporter import Detail
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_folder import SessionFolder
from lve.spec.spec import Expectation
from lve.verdicts.summary import Summary

MIXED = [
    make_result(test="b", line=2, verdict="failed", reason="expected 42, found 41", cost=0.25),
    make_result(test="b", line=1),
    make_result(test="a", line=10, recorded="failed"),
    make_result(test="a", line=9, repeat=1, recorded="passed"),
    make_result(test="a", line=9, recorded="passed", cached=True),
    make_result(
        test="c", verdict="error", reason="no answer", error_kind="timeout", responses=(),
        transcripts=(),
    ),
]  # fmt: skip


def report(
    name: str,
    given_results: list[InstanceResult],
    *,
    detail: Detail = "normal",
    expect: Expectation | None = None,
    **facts: Any,
) -> str:
    """Return what a reporter writes of a session with these results."""
    stream = io.StringIO()
    reporter = REPORTERS[name](stream, detail)
    play(reporter, given_results, expect=expect, **facts)
    return stream.getvalue()


def play(
    reporter: Any,
    given_results: list[InstanceResult],
    *,
    expect: Expectation | None = None,
    **facts: Any,
) -> None:
    """Report a session to a reporter."""
    summary = Summary(skipped=facts.pop("skipped", {}), invalid=facts.pop("invalid", {}))
    for result in given_results:
        expected = expect or Expectation()
        summary.expect(result.test, result.model, expected)
        summary.add(result)
        reporter.on_result(result, expected)
    for tally in summary.tallies.values():
        tally.coverage.complete()
        reporter.on_tally(tally)
    defaults: dict[str, Any] = {
        "status": "complete",
        "folder": SessionFolder(Path(".lve/runs/20261121-120000-000-abcd")),
        "seconds": 1.25,
        "requests": 6,
    }
    resume_args = facts.pop("resume_args", "")
    result = RunResult(summary, **{**defaults, **facts})
    reporter.finish(SessionReport(result, resume_args=resume_args))


class FakeTerminal(io.StringIO):
    """A stream that says it is a screen."""

    def isatty(self) -> bool:
        return True
