"""Listing sessions without reading their results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lve.sessions.listing import ListedSession, listed_session
from lve.sessions.session_folder import SessionFolder


def listed(tmp_path: Path, **fields: Any) -> ListedSession:
    """Return a session whose `session.json` somebody has changed."""
    folder = SessionFolder.create(tmp_path, {"models": ["a/b"], "tests": {}})
    file = folder.path / "session.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))
    return listed_session(tmp_path, folder.id)


def test_a_session_that_has_ended_says_what_passed(tmp_path: Path) -> None:
    summary = {"tests": {"passed": 2, "failed": 1, "error": 0}, "instances": {"total": 12}}
    one = listed(
        tmp_path,
        status="complete",
        summary=summary | {"cost": 0.2},
        spent={"cost": 0.5, "tokens": 3, "requests": 2},
    )
    assert (one.status, one.models, one.instances, one.cost) == ("complete", ("a/b",), 12, 0.5)
    assert one.verdicts == {"passed": 2, "failed": 1}


def test_without_prices_there_is_no_cost(tmp_path: Path) -> None:
    spent = {"cost": 0.0, "tokens": 3, "requests": 2}
    assert listed(tmp_path, status="complete", summary={"cost": None}, spent=spent).cost is None


def test_a_session_that_no_process_runs_was_killed(tmp_path: Path) -> None:
    folder = SessionFolder.create(tmp_path, {})
    journal = folder.open_journal()
    assert listed_session(tmp_path, folder.id).status == "running"
    journal.close()
    assert listed_session(tmp_path, folder.id).status == "killed"


def test_a_session_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    one = listed(tmp_path, version=99)
    assert one.status == "unreadable"
    assert "use the lve that wrote it" in str(one.problem)


@pytest.mark.parametrize(
    "summary",
    [
        {"tests": 7},
        {"tests": {"passed": "many", "failed": -1, "error": 10**400}},
        {"tests": {"passed": True}, "instances": [1]},
    ],
)
def test_forged_numbers_are_not_believed(tmp_path: Path, summary: dict[str, Any]) -> None:
    one = listed(tmp_path, status="complete", summary=summary | {"cost": 10**400})
    assert (one.verdicts, one.instances, one.cost) == ({}, 0, None)
