"""How far a session is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.results import make_result

from lve.errors import SessionError
from lve.extensions.view import progress as progress_module
from lve.extensions.view.progress import Progress
from lve.sessions.session_folder import SessionFolder


@pytest.fixture
def folder(tmp_path: Path) -> SessionFolder:
    return SessionFolder.create(tmp_path, {"options": {}, "tests": {"repository/a": {}}})


def add(folder: SessionFolder, *results: dict[str, Any]) -> None:
    journal = folder.open_journal()
    for changes in results:
        journal.append(make_result(**changes))
    journal.close()


def test_results_are_counted_as_they_come(folder: SessionFolder) -> None:
    progress = Progress(folder)
    assert (progress.state()["results"], progress.state()["cost"]) == (0, None)
    add(folder, {"line": 1, "cost": 0.5}, {"line": 2, "verdict": "failed", "cost": 0.25})
    first = progress.state()
    assert (first["results"], first["counts"], first["cost"]) == (
        2,
        {"failed": 1, "passed": 1},
        0.75,
    )
    assert first["status"] == "running"
    add(folder, {"line": 3})
    assert progress.state()["results"] == 3
    assert progress.state()["version"] == progress.state()["version"] != first["version"]


def test_a_result_that_ran_again_counts_once_and_cost_what_both_took(folder: SessionFolder) -> None:
    progress = Progress(folder)
    add(folder, {"verdict": "error", "error_kind": "timeout", "cost": 0.1})
    assert progress.state()["counts"] == {"error": 1}
    add(folder, {"verdict": "passed", "cost": 0.1})
    state = progress.state()
    assert (state["results"], state["counts"], state["cost"]) == (1, {"passed": 1}, 0.2)


def test_journals_that_become_one_count_once(folder: SessionFolder) -> None:
    add(folder, {"line": 1, "cost": 0.5}, {"line": 2, "cost": 0.25})
    whole = folder.results_file.read_bytes()
    first, second = whole.splitlines(keepends=True)
    parts = [folder.path / f"results-gw{number}.jsonl" for number in (0, 1)]
    folder.results_file.rename(parts[0])
    parts[0].write_bytes(first)
    parts[0].with_name(parts[1].name).write_bytes(second)
    progress = Progress(folder)
    assert (progress.state()["results"], progress.state()["cost"]) == (2, 0.75)
    for part in parts:
        part.unlink()
    folder.results_file.write_bytes(whole)
    assert (progress.state()["results"], progress.state()["cost"]) == (2, 0.75)


def test_a_journal_that_was_replaced_is_read_again(folder: SessionFolder) -> None:
    add(folder, {"line": 1, "cost": 0.5}, {"line": 2, "cost": 0.25})
    progress = Progress(folder)
    assert progress.state()["cost"] == 0.75
    folder.results_file.write_bytes(folder.results_file.read_bytes().splitlines(True)[1])
    assert progress.state()["cost"] == 0.25


def test_a_line_that_is_being_written_waits_until_it_is_whole(folder: SessionFolder) -> None:
    add(folder, {"line": 1}, {"line": 2})
    content = folder.results_file.read_bytes()
    progress = Progress(folder)
    folder.results_file.write_bytes(content[:-20])
    assert progress.state()["results"] == 1
    folder.results_file.write_bytes(content)
    assert progress.state()["results"] == 2


def test_lines_that_are_no_results_are_passed_over(folder: SessionFolder) -> None:
    add(folder, {"line": 1})
    with folder.results_file.open("ab") as file:
        file.write(b"{}\n\xff\xfe\n[[[[\n" + b'{"version":1}\n')
    add(folder, {"line": 2})
    assert Progress(folder).state()["results"] == 2


def test_only_results_that_are_there_can_be_labelled(folder: SessionFolder) -> None:
    progress = Progress(folder)
    place = ("repository/a", "openai/m", "instances/x.jsonl", 1, 0)
    assert not progress.has(place)
    add(folder, {"line": 1})
    assert progress.has(place)
    assert not progress.has((*place[:4], 1))


def test_a_session_that_nobody_runs_is_found_out(
    folder: SessionFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(folder, {"line": 1})
    progress = Progress(folder)
    assert progress.state()["status"] == "running"
    monkeypatch.setattr(progress_module, "QUIET_S", -1.0)
    assert progress.state()["status"] == "killed"
    folder.end("complete")
    assert progress.state()["status"] == "complete"


def test_a_damaged_session_is_one_sentence(folder: SessionFolder) -> None:
    (folder.path / "session.json").write_text("[]")
    with pytest.raises(SessionError, match=r"session\.json"):
        Progress(folder).state()


def test_a_plain_line_is_not_read_as_a_whole_result(
    folder: SessionFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole: list[bytes] = []
    read = progress_module.result_of_line
    monkeypatch.setattr(
        progress_module, "result_of_line", lambda line: whole.append(line) or read(line)
    )
    add(folder, {"line": 1, "cost": 0.5}, {"line": 2}, {"line": 3, "args": {"a": "\ud800"}})
    with folder.results_file.open("rb+") as file:
        content = file.read().replace(b'"cost":0.5', b'"cost":1')
        file.seek(0)
        file.write(content)
        file.truncate()
    state = Progress(folder).state()
    assert (state["results"], state["cost"]) == (3, 1.0)
    assert len(whole) == 1  # an amount that lve writes has a point


@pytest.mark.parametrize(
    "forged",
    [
        ('"verdict":"passed"', '"verdict":[]'),
        ('"verdict":"passed"', '"verdict":"odd"'),
        ('"line":1', '"line":1.5'),
        ('"cost":0.5', '"cost":-0.5'),
        ('"cost":0.5', '"cost":"0.5"'),
        ('"model":"openai/m"', '"model":7'),
    ],
)
def test_a_forged_line_counts_for_nothing(folder: SessionFolder, forged: tuple[str, str]) -> None:
    add(folder, {"line": 1, "cost": 0.5})
    text = folder.results_file.read_text()
    assert forged[0] in text
    folder.results_file.write_text(text.replace(*forged, 1))
    state = Progress(folder).state()
    assert (state["results"], state["cost"]) == (0, None)
