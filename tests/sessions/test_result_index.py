"""The results of a session in order, read one at a time."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path

import pytest
from support.results import make_result

from lve.secrets.redaction import lasting_redactor
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal import journal, reading
from lve.sessions.result_index import ResultIndex
from lve.sessions.session_folder import SessionFolder


def session(state: Path, *results: InstanceResult) -> SessionFolder:
    folder = SessionFolder.create(state, {"options": {}})
    written = folder.open_journal()
    for result in results:
        written.append(result)
    written.close()
    return folder


def test_results_come_in_the_order_of_tests_models_and_files(tmp_path: Path) -> None:
    wanted = [
        make_result(test=test, model=model, source=source, line=line, repeat=repeat)
        for test in ("a", "b")
        for model in ("m", "n")
        for source in ("instances/x.jsonl", "instances/y.jsonl")
        for line in (1, 2, 10)
        for repeat in (0, 1)
    ]
    mixed = wanted[:]
    random.Random(1).shuffle(mixed)
    seen: list[InstanceResult] = []
    with ResultIndex(session(tmp_path, *mixed), on_result=seen.append) as index:
        assert seen == mixed
        assert list(index.results()) == wanted
        assert list(index.results(("b", "m"))) == wanted[24:36] == list(index.results(("b", "m")))
        assert list(index.results(("b", "unknown"))) == []


def test_results_with_a_verdict_can_be_left_out(tmp_path: Path) -> None:
    made = [make_result(line=n, verdict="failed" if n % 2 else "passed") for n in range(1, 7)]
    with ResultIndex(session(tmp_path, *made)) as index:
        assert [one.line for one in index.results(without="passed")] == [1, 3, 5]


def test_a_result_that_was_superseded_is_not_there(tmp_path: Path) -> None:
    old, new = make_result(verdict="error", reason="timeout"), make_result()
    with ResultIndex(session(tmp_path, old, make_result(line=2), new)) as index:
        assert [(one.line, one.verdict) for one in index.results()] == [
            (1, "passed"),
            (2, "passed"),
        ]


def test_parts_of_several_processes_are_one_session(tmp_path: Path) -> None:
    folder = session(tmp_path, make_result(line=1), make_result(line=2))
    again = folder.results_file.read_bytes()
    (folder.path / "results-gw0.jsonl").write_bytes(again)
    other = session(tmp_path, make_result(line=3))
    (folder.path / "results-gw1.jsonl").write_bytes(other.results_file.read_bytes())
    with ResultIndex(folder) as index:
        assert [one.line for one in index.results()] == [1, 2, 3]


def test_a_part_that_is_merged_while_it_is_read_is_neither_missing_nor_there_twice(
    tmp_path: Path,
) -> None:
    folder = session(tmp_path, make_result(line=1))
    part = folder.path / "results-gw0.jsonl"
    part.write_bytes(session(tmp_path, make_result(line=2)).results_file.read_bytes())
    seen: list[int] = []

    def merge(result: InstanceResult) -> None:
        seen.append(result.line)
        if part.exists():
            with folder.results_file.open("ab") as journal:
                journal.write(part.read_bytes())
            part.unlink()

    with ResultIndex(folder, on_result=merge) as index:
        assert [one.line for one in index.results()] == seen == [1, 2]
    with ResultIndex(folder) as index:
        assert [one.line for one in index.results()] == [1, 2]


@pytest.mark.parametrize("gone", ["results-gw0.jsonl", "results-gw1.jsonl"])
def test_a_part_that_is_merged_before_it_is_opened_has_its_results_in_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    folder = SessionFolder.create(tmp_path, {"options": {}})
    for line, name in enumerate(("results-gw0.jsonl", "results-gw1.jsonl"), 1):
        other = session(tmp_path, make_result(line=line))
        (folder.path / name).write_bytes(other.results_file.read_bytes())
    really_open = reading.open_private

    def merge_first(path: Path, flags: int) -> int:
        if path.name == gone and path.exists():  # while `results.jsonl` doesn't exist yet
            folder.results_file.write_bytes(path.read_bytes())
            path.unlink()
        return really_open(path, flags)

    monkeypatch.setattr(reading, "open_private", merge_first)
    assert sorted(one.line for one in folder.results()) == [1, 2]


def test_what_a_running_session_adds_is_not_part_of_it(tmp_path: Path) -> None:
    folder = session(tmp_path, make_result(line=1))
    with ResultIndex(folder) as index:
        running = folder.open_journal()
        running.append(make_result(line=2))
        assert [one.line for one in index.results()] == [1]
        running.close()


def test_damaged_lines_and_absurd_numbers_harm_nothing(tmp_path: Path) -> None:
    folder = session(tmp_path, make_result(line=1), make_result(line=2))
    first, second = folder.results_file.read_text().splitlines()
    huge = json.dumps({**json.loads(first), "line": 10**30, "source": "\ud800"})
    folder.results_file.write_text(f"nonsense\n{second}\n{huge}\n{first}\n{first[:50]}")
    warned: list[str] = []
    with ResultIndex(folder, warn=warned.append) as index:
        found = [(one.source, one.line) for one in index.results()]
    assert [line for _, line in found[:2]] == [1, 2]
    assert len(found) <= 3
    assert "1 damaged line" in warned[0]


def test_results_behind_an_endless_line_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = session(tmp_path, make_result(line=1), make_result(line=2))
    first, second = folder.results_file.read_text().splitlines()
    folder.results_file.write_text(f"{first}\n{'x' * 5000}\n{second}\n")
    monkeypatch.setattr(journal, "MAX_LINE_BYTES", 2000)
    with ResultIndex(folder) as index:
        assert [one.line for one in index.results()] == [1, 2]


def test_no_results_are_none(tmp_path: Path) -> None:
    folder = SessionFolder.create(tmp_path, {"options": {}})
    with ResultIndex(folder) as index:
        assert list(index.results()) == index.pairs == []


def test_a_key_that_is_known_now_is_taken_out(tmp_path: Path) -> None:
    folder = session(tmp_path, make_result(reason="the key is sk-very-secret-1234"))
    lasting_redactor(["sk-very-secret-1234"])
    with ResultIndex(folder) as index:
        [result] = index.results()
    assert "very-secret" not in result.reason


@pytest.mark.parametrize("count", [3000])
def test_memory_does_not_grow_with_the_results(tmp_path: Path, count: int) -> None:
    text = "x" * 5000
    folder = session(tmp_path, *(make_result(line=n, reason=text) for n in range(1, count + 1)))
    tracemalloc.start()
    try:
        with ResultIndex(folder) as index:
            assert sum(1 for _ in index.results()) == count
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < count * len(text) / 5
