"""`lve check` of tests with more rows than it looks at by itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.folders import workspace, write_test

from lve.cli.check import MAX_ROWS
from lve.cli.main import cli


def check(*args: str) -> tuple[int, str]:
    """Return exit code and output."""
    result = CliRunner().invoke(cli, ["check", *args], standalone_mode=False)
    return result.return_value, result.output


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As many rows of a test as are looked at."""
    monkeypatch.chdir(workspace(tmp_path))
    folder = write_test(
        tmp_path / "t",
        prompt=[{"content": "{x}"}],
        prompt_parameters=["x"],
        dataset="rows.jsonl",
    )
    (folder / "rows.jsonl").write_text('{"x": "1"}\n' * MAX_ROWS, encoding="utf-8")
    return folder / "rows.jsonl"


def test_rows_that_were_not_looked_at_are_told(rows: Path) -> None:
    assert check("t") == (0, "1 test: all valid\n")
    with rows.open("a", encoding="utf-8") as file:
        file.write("{wrong\n")
    assert check("t") == (
        0,
        "t/test.json: warning: only the first 10,000 instances were checked "
        "(`lve check --all-rows` looks at all)\n"
        "1 test: all valid\n",
    )
    (test,) = json.loads(check("t", "--json")[1])["tests"]
    assert test["problems"][0]["severity"] == "warning"


def test_all_rows_can_be_looked_at(rows: Path) -> None:
    with rows.open("a", encoding="utf-8") as file:
        file.write("{wrong\n")
    code, output = check("t", "--all-rows")
    assert code == 2
    assert output.startswith("t/rows.jsonl:10001:2: ")
    assert output.endswith("\n1 test: 1 with problems\n")
    assert "only the first" not in output
