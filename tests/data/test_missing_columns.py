"""Parameters for which a CSV file has no column."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test


def write(root: Path, rows: str = "a,b\n1,2\n3,4\n", **more: Any) -> None:
    workspace(root)
    document = {"prompt_parameters": ["a", "c"], "prompt": "{a} {c}", "dataset": "rows.csv", **more}
    write_test(root / "t", instances=None, **document)
    (root / "t" / "rows.csv").write_text(rows, encoding="utf-8")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


SAID = "rows.csv:1: no column for the parameter c (it has a, b; or give -p c=VALUE)"


@pytest.mark.parametrize(
    "command", ["check", "run -m dummy/x", "run -m dummy/x --dry-run", "render"]
)
def test_it_is_said_once_of_the_header(here: Path, command: str) -> None:
    write(here)
    code, out, err = call(*command.split(), "t")
    assert code != 0
    assert (out + err).count(SAID) == 1
    assert "has no value" not in out + err


def test_a_value_of_the_command_line_stands_in(here: Path) -> None:
    write(here)
    code, out, _ = call("run", "t", "-m", "dummy/x", "-p", "c=9", "--json")
    assert code == 0
    assert json.loads(out)["summary"]["instances"]["total"] == 2


def test_rows_of_jsonl_are_looked_at_one_by_one(here: Path) -> None:
    write(here, dataset="rows.jsonl")
    (here / "t" / "rows.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    out = call("check", "t")[1]
    assert "rows.jsonl:1: parameter 'c' has no value" in out
    assert "rows.jsonl:2: parameter 'c' has no value" in out


def test_renamed_columns_count(here: Path) -> None:
    write(here, dataset={"path": "rows.csv", "columns": {"c": "b"}})
    assert call("check", "t")[0] == 0


def test_recorded_instances_run_beside_them(here: Path) -> None:
    write(here)
    (here / "t" / "instances").mkdir()
    (here / "t" / "instances" / "x.jsonl").write_text('{"args": {"a": 1, "c": 2}}\n')
    code, out, _ = call("run", "t", "-m", "dummy/x")
    assert code == 2
    assert SAID in out
    assert "1 other result ran" in out


def test_a_test_with_parameters_and_no_instances_is_a_warning(here: Path) -> None:
    write(here, dataset=None)
    code, out, err = call("check", "t")
    assert code == 0
    assert "needs values to run" in out + err
    assert "-p a=VALUE -p c=VALUE" in out + err
    assert "runs only" not in call("check", "t", "--limit", "1")[2]
