"""What the processes of one session write and read, without processes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.results import make_result

from lve.sessions.join_parts import WORST_FIRST, Part
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_tests import SessionTest, append_tests
from lve.sessions.worker_parts import journal_of_part, read_parts, remove_parts, write_part
from lve.spec.spec import Expectation

INFO: Any = {"status": "complete", "tests": {}, "models": ["m"], "paths": ["t"],
             "spent": {"requests": 3}, "spent_unrecorded": {}}  # fmt: skip
RATE = SessionTest(
    "t", "m", expect=Expectation("rate", threshold=0.75), is_sequential=True,
    not_recorded=2, repeats_not_recorded=1,
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> SessionFolder:
    return SessionFolder.create(tmp_path, {"options": {}})


def ended(folder: SessionFolder, name: str, *, results: int = 1, **info: Any) -> None:
    """Write the part of a process that has ended."""
    journal = journal_of_part(folder, name)
    for line in range(1, results + 1):
        journal.append(make_result(test="t", model="m", line=line))
    tests = {("t", "m"): RATE}
    write_part(folder, name, Part([], {**INFO, **info}, tests, {("t", "m"): ["x.jsonl:4"]}))
    journal.close()


def parts(folder: SessionFolder) -> list[Part]:
    return read_parts(folder, folder.info())


@pytest.mark.parametrize("status", WORST_FIRST)
def test_a_part_is_read_as_it_was_written(folder: SessionFolder, status: str) -> None:
    begun = RATE._replace(description="why", not_recorded=0, repeats_not_recorded=0)
    append_tests(folder.path, [begun])
    ended(folder, "gw1", status=status)
    ended(folder, "gw0")
    first, second = parts(folder)
    assert [journal.name for journal in (*first.journals, *second.journals)] == [
        "results-gw0.jsonl", "results-gw1.jsonl",
    ]  # fmt: skip
    assert first.info == INFO
    assert second.info["status"] == status
    assert second.tests == {("t", "m"): RATE._replace(description="why")}
    assert second.places == {("t", "m"): ["x.jsonl:4"]}


def test_a_process_that_was_killed_is_interrupted(folder: SessionFolder) -> None:
    ended(folder, "gw0")
    (folder.path / "part-gw0.json").unlink()
    [part] = parts(folder)
    assert part.info["status"] == "interrupted"
    assert [journal.name for journal in part.journals] == ["results-gw0.jsonl"]
    assert part.tests == {}


def test_a_process_without_a_result_has_a_part(folder: SessionFolder) -> None:
    ended(folder, "gw0", results=0)
    (folder.path / "results-gw0.jsonl").unlink()
    [part] = parts(folder)
    assert (part.journals, part.info) == ([], INFO)
    assert part.tests == {("t", "m"): RATE}, "though it had begun none"


def spoiled(note: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return a note with another value at a place."""
    place: Any = note
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return note


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("status",), "running"),
        (("status",), "x"),
        (("models",), "m"),
        (("spent",), {"requests": "3"}),
        (("expected",), None),
        (("expected", 0), ["t"]),
        (("expected", 0, 0), 5),
        (("expected", 0, 2), 1),
        (("expected", 0, 3), True),
        (("expected", 0, 5), "x"),
        (("expected", 0, 6), []),
        (("expected", 0, 6, "threshold"), "much"),
        (("expected", 0, 6, "kind"), "never"),
        (("expected", 0, 6, "other"), 1),
    ],
)
def test_a_damaged_part_is_named(folder: SessionFolder, path: tuple[Any, ...], value: Any) -> None:
    ended(folder, "gw0")
    note = folder.path / "part-gw0.json"
    note.write_text(json.dumps(spoiled(json.loads(note.read_text()), path, value)))
    with pytest.raises(ValueError, match=r"part-gw0\.json is damaged; if you remove it"):
        parts(folder)


@pytest.mark.parametrize("field", INFO)
def test_a_part_lacks_no_field(folder: SessionFolder, field: str) -> None:
    ended(folder, "gw0")
    note = folder.path / "part-gw0.json"
    content = json.loads(note.read_text())
    del content[field]
    note.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=r"part-gw0\.json is damaged"):
        parts(folder)


def test_nothing_is_left_of_parts(folder: SessionFolder) -> None:
    before = {path.name for path in folder.path.iterdir()}
    ended(folder, "gw0")
    ended(folder, "gw1")
    (folder.path / "spent-gw1.json").write_text("{}")
    remove_parts(folder)
    assert {path.name for path in folder.path.iterdir()} == before
    remove_parts(folder)
