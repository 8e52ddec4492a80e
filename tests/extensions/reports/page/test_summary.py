"""What a page says first."""

from __future__ import annotations

from pathlib import Path

import pytest
from extensions.reports.page.page_files import page_parts, write_pages
from extensions.reports.report_sessions import make_session
from support.results import make_result

from lve.extensions.reports.page.summary import verdict_of
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_tests import SessionTest, append_tests
from lve.verdicts.recorded_session import RecordedSession


def test_the_summary_says_what_the_session_says(tmp_path: Path) -> None:
    folder = make_session(tmp_path / "state")
    summary, _, _ = page_parts(write_pages(tmp_path / "page.html", folder))
    with RecordedSession.of(folder) as session:
        assert summary["headline"] == session.summary.tests_text()
        for cell in summary["cells"]:
            pair = summary["tests"][cell["test"]]["path"], summary["models"][cell["model"]]["name"]
            tally = session.summary.tallies[pair]
            assert (cell["verdict"], cell["reason"]) == tally.verdict()
            assert cell["rate"]["low"] == tally.rate.low
        assert summary["cost"] == session.cost
    assert summary["verdict"] == "failed"
    assert summary["errors"][0]["kind"] == "timeout"


def test_a_session_without_results_makes_a_page(tmp_path: Path) -> None:
    folder = SessionFolder.create(tmp_path / "state", {"options": {}})
    folder.update(status="complete")
    summary, index, details = page_parts(write_pages(tmp_path / "page.html", folder))
    assert (summary["verdict"], summary["rows"], index, details) == ("empty", 0, [], [])


@pytest.mark.parametrize(
    ("verdicts", "status", "expected"),
    [
        (["passed", "passed"], "complete", "passed"),
        (["passed", "failed"], "complete", "failed"),
        (["passed", "error"], "complete", "error"),
        (["failed", "error"], "complete", "failed"),
        (["passed", "passed"], "budget", "inconclusive"),
    ],
)
def test_the_worst_verdict_is_that_of_the_page(
    tmp_path: Path, verdicts: list[str], status: str, expected: str
) -> None:
    folder = SessionFolder.create(tmp_path / "state", {"options": {}})
    journal = folder.open_journal()
    for line, verdict in enumerate(verdicts, 1):
        journal.append(make_result(test=f"t{line}", line=line, verdict=verdict))
    journal.close()
    folder.update(status=status)
    with RecordedSession.of(folder) as session:
        assert verdict_of([session]) == expected


def test_skipped_and_invalid_tests_are_named(tmp_path: Path) -> None:
    folder = SessionFolder.create(tmp_path / "state", {"options": {}})
    refused = [SessionTest("s", skipped="later"), SessionTest("p", problems=("p/test.yaml:1",))]
    append_tests(folder.path, refused)
    folder.update(status="complete")
    summary, _, _ = page_parts(write_pages(tmp_path / "page.html", folder))
    assert summary["skipped"] == [{"path": "s", "reason": "later"}]
    assert summary["invalid"] == [{"path": "p", "problems": ["p/test.yaml:1"]}]
    assert summary["verdict"] == "error"


def test_flaky_instances_are_counted(tmp_path: Path) -> None:
    folder = make_session(tmp_path / "state")
    summary, _, _ = page_parts(write_pages(tmp_path / "page.html", folder))
    with RecordedSession.of(folder) as session:
        expected = sum(tally.figures().flakiness.flaky for tally in session.tallies)
    assert len(summary["flaky"]) + summary["flaky_more"] == expected > 0
    assert all(0 < one["passed"] < one["judged"] for one in summary["flaky"])
