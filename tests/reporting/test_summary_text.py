"""The end of a text report."""

from __future__ import annotations

import io

import pytest
from reporting.reports import MIXED, report
from support.results import make_result

from lve.pipeline.result import RunResult
from lve.reporting import REPORTERS, SessionReport
from lve.spec.spec import Expectation
from lve.verdicts.summary import Summary


def test_quiet_is_the_summary_only() -> None:
    text = report("text", MIXED, detail="quiet")
    assert text.startswith("3 tests: 1 passed, 1 failed, 1 with errors\n")
    assert "expected 42" not in text


def test_an_interrupted_session_says_how_to_go_on() -> None:
    text = report("text", MIXED[:1], status="interrupted")
    assert "stopped early: interrupted\n" in text
    assert "go on with: lve run --resume 20261121-120000-000-abcd\n" in text
    text = report("text", MIXED[:1], status="budget", stopped_by="6 of 6 requests spent")
    assert "stopped early: 6 of 6 requests spent\n" in text


def test_failures_that_are_expected_are_counted_apart_from_the_others() -> None:
    summary = Summary()
    for test, expect in (("weak", Expectation("fail")), ("good", Expectation())):
        summary.expect(test, "openai/m", expect)
        for line, verdict in enumerate(("passed", "failed", "failed"), 1):
            summary.add(make_result(test=test, line=line, verdict=verdict))
    stream = io.StringIO()
    REPORTERS["text"](stream, "quiet").finish(SessionReport(RunResult(summary, "complete")))
    assert "6 rows: 2 passed, 2 failed, 2 failed as expected\n" in stream.getvalue()


def test_an_invalid_test_is_shown_with_its_problems() -> None:
    text = report("text", MIXED[:1], invalid={"x/bad": ("x/bad/test.json:1:2: no \x1b[2J",)})
    assert "invalid: x/bad\n    x/bad/test.json:1:2: no \\x1b[2J\n" in text
    assert "2 tests: 1 failed, 1 invalid\n" in text


def test_nothing_selected_says_what_to_do() -> None:
    assert report("text", []).startswith("nothing was selected: give a path")


@pytest.mark.parametrize(
    ("kinds", "again", "score"),
    [
        (["checker"], False, True),
        (["timeout"], True, False),
        (["checker", "timeout"], True, True),
    ],
)
def test_what_checkers_could_not_judge_is_judged_again(
    kinds: list[str], again: bool, score: bool
) -> None:
    found = [
        make_result(line=line, verdict="error", error_kind=kind)
        for line, kind in enumerate(kinds, 1)
    ]
    text = report("text", found)
    assert ("lve run --retry-errors 20261121-120000-000-abcd" in text) is again
    assert ("lve score 20261121-120000-000-abcd\n" in text) is score
