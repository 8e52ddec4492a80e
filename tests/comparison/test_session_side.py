from __future__ import annotations

from pathlib import Path

import pytest
from support.compared import verdicts, write_session

from lve.comparison.compare import compare
from lve.comparison.session_side import SessionSide
from lve.sessions import journal
from lve.sessions.journal import Journal


def test_the_parts_of_a_killed_session_are_read_together(tmp_path: Path) -> None:
    """pytest-xdist's workers have a journal each until the session ends."""
    folder = write_session(tmp_path, verdicts("PP", "a"))
    part = Journal(folder.path / "results-gw1.jsonl")
    for result in verdicts("PF", "b"):
        part.append(result)
    part.close()
    side = SessionSide(folder, warn=print)
    found = [side.result(row.where) for row in side.rows()]
    assert [(one.test, one.verdict) for one in found if one is not None] == [
        ("a", "passed"),
        ("a", "passed"),
        ("b", "passed"),
        ("b", "failed"),
    ]


def test_models_that_a_session_does_not_list_are_found_in_its_results(tmp_path: Path) -> None:
    folder = write_session(tmp_path, [*verdicts("P", model="b"), *verdicts("P", model="a")])
    folder.update(models=[])
    assert SessionSide(folder, warn=print).facts.models == ("b", "a")


def test_results_behind_a_line_that_is_too_long_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_session(tmp_path, verdicts("PP"))
    lines = folder.results_file.read_bytes().splitlines(keepends=True)
    folder.results_file.write_bytes(lines[0] + b"x" * 9000 + b"\n" + lines[1])
    monkeypatch.setattr(journal, "MAX_LINE_BYTES", 4000)
    told: list[str] = []
    side = SessionSide(folder, warn=told.append)
    now = SessionSide(write_session(tmp_path, verdicts("FF"), day=2), warn=print)
    found = compare(side, now)
    before = [found.results_of(flip)[0] for flip in found.flips]
    assert [one and one.line for one in before] == [1, 2]
    assert told == [f"{folder.results_file}:2: 1 damaged line is left out [left_out]"]


def test_a_forged_summary_is_no_reason_not_to_compare(tmp_path: Path) -> None:
    folder = write_session(tmp_path, verdicts("P"))
    for served in (None, [], {"m": 1, "n": ["n-1"]}):
        folder.update(summary={"served_models": served})
        facts = SessionSide(folder, warn=print).facts
        assert facts.served in ({}, {"n": ("n-1",)})
