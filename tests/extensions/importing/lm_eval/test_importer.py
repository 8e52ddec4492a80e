"""Tasks of lm-evaluation-harness: what is imported of what it wrote."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace
from support.lm_eval_dump import CASE, imported, recorded_lines

from lve.errors import UsageError
from lve.extensions.importing.boxes.box import BoxError
from lve.extensions.importing.folders import write_tests
from lve.extensions.importing.lm_eval.importer import TOOL, TaskImport

EXPECTED = json.loads((CASE / "expected.json").read_text("utf-8"))


def shown(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what is imported, without what is the same in all tests."""
    result = imported(lines)
    tests = {
        test.folder: {
            "check": test.document["check"],
            "args": test.document.get("default_model_args"),
            "inferencer": test.document["infer_cfg"]["inferencer"],
            "rows": [json.loads(row) for row in str(test.files["rows.jsonl"]).splitlines()],
        }
        for test in result.tests
    }
    return {"tests": tests, "left_out": list(map(str, result.left_out))}


def test_the_tests_and_what_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CASE)
    assert shown(recorded_lines()) == EXPECTED


def test_the_source_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CASE)
    [test] = [test for test in imported(recorded_lines()).tests if test.folder == "capitals/acc"]
    content = Path("tasks/capitals.yaml").read_bytes()
    assert test.document["source"] == {
        "tool": "lm-eval",
        "version": "0.4.13",
        "task": "capitals",
        "task_version": "2.0",
        "file": "tasks/capitals.yaml",
        "line": 1,
        "sha256": hashlib.sha256(content).hexdigest(),
        "scores": {"acc": "pass rate"},
    }
    certificate = json.loads(str(test.files["import.json"]))
    rows = str(test.files["rows.jsonl"]).encode()
    assert certificate["rows"] == 2
    assert certificate["files"]["rows.jsonl"] == hashlib.sha256(rows).hexdigest()


def test_files_of_the_harness_are_shown_without_its_place() -> None:
    lines = recorded_lines()
    for line in lines:
        if line["kind"] == "task":
            line["file"] = f"/somewhere/lm_eval/tasks/{line['task']}/x.yaml"
    assert imported(lines).tests[0].document["source"]["file"] == "lm_eval/tasks/capitals/x.yaml"


def test_imported_tests_are_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace(tmp_path / "w"))
    write_tests(imported(recorded_lines()).tests, Path("made"))
    code, out, _ = call("check", "made")
    assert code == 0, out


def test_equal_reasons_are_counted() -> None:
    lines = recorded_lines()
    gone = [line for line in lines if line["kind"] == "left_out"]
    [sentence] = imported([lines[0], *gone * 3, lines[-1]]).left_out
    assert str(sentence).endswith("UndefinedError: 'nowhere' is undefined (3 times)")


def test_a_dump_without_its_end_is_told() -> None:
    result = imported(recorded_lines()[:-1])
    assert len(result.tests) == 13
    assert "left out: the rest: lm-eval has ended without an end" in " ".join(
        map(str, result.left_out)
    )


def test_what_came_before_an_error_of_the_box_is_kept() -> None:
    def lines() -> Any:
        yield from recorded_lines()[:6]
        raise BoxError("took longer than 1 s and was stopped")

    result = TaskImport("tasks").read(lines())
    assert [test.folder for test in result.tests][:1] == ["capitals/acc"]
    assert "the rest: lm-eval took longer than 1 s" in str(result.left_out[-1])


def test_an_unknown_name_is_told() -> None:
    with pytest.raises(UsageError, match=r"lm-eval 0.4.13 has no task arcc: `\*` stands for any"):
        imported([recorded_lines()[0], {"kind": "unknown", "name": "arcc"}])


def test_rows_of_another_task_are_no_rows() -> None:
    """A task that writes rows for others changes nothing of theirs."""
    lines = recorded_lines()
    forged = {**lines[2], "task": "sums", "doc": 99}
    result = imported([*lines[:3], forged, *lines[3:]])
    sums = next(test for test in result.tests if test.folder.startswith("sums"))
    assert "99" not in str(sums.files["rows.jsonl"])


def test_too_many_tasks_are_refused() -> None:
    task = recorded_lines()[2]
    with pytest.raises(UsageError, match="more than 5,000 tasks"):
        imported([task] * 5_002)


@pytest.mark.skipif(not TOOL.is_set_up, reason="needs `lve import --setup lm-eval`")
def test_the_harness_still_writes_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CASE)
    code, _, err = call("import", "lm-eval", "tasks", "-o", str(tmp_path / "made"))
    assert code == 0, err
    assert err.count("left out") == len(EXPECTED["left_out"])
    for folder, test in EXPECTED["tests"].items():
        rows = (tmp_path / "made" / folder / "rows.jsonl").read_text("utf-8").splitlines()
        assert [json.loads(row) for row in rows] == test["rows"]
