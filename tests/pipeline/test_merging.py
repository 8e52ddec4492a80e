"""One session of several processes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.results import make_result

from lve.errors import SessionError
from lve.pipeline.merging import merge_parts
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_tests import SessionTest, append_tests
from lve.sessions.worker_parts import journal_of_part, write_part
from lve.spec.spec import Expectation
from lve.verdicts.description import part_of
from lve.verdicts.recorded_session import RecordedSession
from lve.verdicts.summary import Summary


def a_part(folder: SessionFolder, name: str, *lines: int, gaps: int | None = 0) -> None:
    """Write what a process has done of test `t`; `gaps` None: it was killed before its end."""
    journal = journal_of_part(folder, name)
    for line in lines:
        journal.append(make_result(test="t", model="m", line=line, args={"kind": name}))
    journal.close()
    if gaps is None:
        return
    summary = Summary()
    missing = summary.expect("t", "m", Expectation("fail")).coverage.not_recorded
    for row in range(gaps):
        missing.add(f"t/{name}.jsonl:{row}", repeats=2)
    known = {"tests": {}, "models": ["m"], "paths": [], "spent": {}, "spent_unrecorded": {}}
    write_part(folder, name, part_of(summary, {"status": "complete", **known}))


def several_processes(place: Path) -> SessionFolder:
    """Begin a session of which `tests.jsonl` says what its tests are."""
    folder = SessionFolder.create(place, {"options": {}})
    tests = [
        SessionTest("t", "m", expect=Expectation("fail"), column="kind"),
        SessionTest("slow", skipped="not now"),
    ]
    append_tests(folder.path, tests)
    return folder


def test_processes_together_say_what_one_would_have_said(tmp_path: Path) -> None:
    folder = several_processes(tmp_path)
    a_part(folder, "gw0", 1, 2, gaps=1)
    a_part(folder, "gw1", 3, gaps=2)
    summary = merge_parts(folder, is_interrupted=False)
    tally = summary.tallies["t", "m"]
    assert (tally.total, tally.coverage.is_complete, tally.expect.kind) == (3, True, "fail")
    assert summary.skipped == {"slow": "not now"}
    assert sorted(tally.numbers.categories) == ["gw0", "gw1"]
    missing = tally.coverage.not_recorded
    assert (missing.count, missing.repeats) == (3, 3)
    assert missing.places == ["t/gw0.jsonl:0", "t/gw1.jsonl:0", "t/gw1.jsonl:1"]
    with RecordedSession.of(folder) as recorded:
        assert recorded.summary.to_json() == summary.to_json() == folder.info()["summary"]
    assert recorded.tests["t", "m"].not_recorded == 3
    names = sorted(file.name for file in folder.path.iterdir())
    assert names == ["results.jsonl", "session.json", "tests.jsonl"]


def test_of_a_killed_process_it_is_known_what_its_tests_expect(tmp_path: Path) -> None:
    folder = several_processes(tmp_path)
    a_part(folder, "gw0", 1)
    a_part(folder, "gw1", 2, gaps=None)
    summary = merge_parts(folder, is_interrupted=False)
    tally = summary.tallies["t", "m"]
    assert (tally.total, tally.coverage.is_complete, tally.expect.kind) == (2, False, "fail")
    assert tally.numbers.column == "kind", "tests.jsonl says more of a test than its process"
    assert folder.info()["status"] == "interrupted"


def test_processes_that_were_stopped_have_not_finished(tmp_path: Path) -> None:
    folder = several_processes(tmp_path)
    a_part(folder, "gw0", 1)
    assert not merge_parts(folder, is_interrupted=True).tallies["t", "m"].coverage.is_complete
    assert folder.info()["status"] == "interrupted"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff", b'{"status": "x"}'])
def test_a_damaged_note_of_a_process_is_named_with_what_to_do(
    tmp_path: Path, content: bytes
) -> None:
    folder = several_processes(tmp_path)
    a_part(folder, "gw0", 1)
    note = folder.path / "part-gw0.json"
    note.write_bytes(content)
    with pytest.raises(SessionError, match=r"part-gw0\.json is damaged; if you remove it"):
        merge_parts(folder, is_interrupted=False)
    note.unlink()
    assert merge_parts(folder, is_interrupted=False).tallies["t", "m"].total == 1
    assert folder.info()["status"] == "interrupted", "it counts as killed"
