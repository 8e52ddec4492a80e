from __future__ import annotations

import gc
from pathlib import Path

import pytest
from comparison.compared import verdicts, write_session

from lve.comparison.compare import compare
from lve.comparison.session_side import SessionSide
from lve.sessions.journal import journal
from lve.sessions.journal.journal import Journal


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


def test_a_merge_during_a_comparison_takes_no_result_away(tmp_path: Path) -> None:
    """It moves the lines of a part to the journal of the session, and removes the part."""
    folder = write_session(tmp_path, verdicts("P", "a"))
    parts = [Journal(folder.path / f"results-gw{number}.jsonl") for number in (1, 2)]
    for part, test in zip(parts, "bc", strict=True):
        for result in verdicts("PF", test):
            part.append(result)
        part.close()
    side = SessionSide(folder, warn=print)
    reading = side.rows()
    rows = [next(reading), next(reading)]
    with folder.results_file.open("ab") as whole:
        whole.writelines(part.path.read_bytes() for part in parts)
    for part in parts:
        part.path.unlink()
    rows += reading
    results = [side.result(row.where) for row in rows]
    places = [("a", 1), ("b", 1), ("b", 2), ("c", 1), ("c", 2)]
    assert [(row.test, row.line) for row in rows] == places
    assert [result and (result.test, result.line) for result in results] == places
    assert [(row.test, row.line) for row in side.rows()] == places


def test_a_result_is_read_between_two_rows(tmp_path: Path) -> None:
    side = SessionSide(write_session(tmp_path, verdicts("PF" * 200)), warn=print)
    lines: list[int] = []
    for row in side.rows():
        first = side.result(0)
        assert first is not None
        assert first.line == 1
        lines.append(row.line)
    assert lines == list(range(1, 401))


def test_the_journals_are_closed_with_the_side(tmp_path: Path) -> None:
    side = SessionSide(write_session(tmp_path, verdicts("P")), warn=print)
    (journal,) = side._journals
    assert not journal.file.closed
    del side
    gc.collect()
    assert journal.file.closed


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
