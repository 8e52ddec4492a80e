"""Tests whose checker needs what is not installed: skipped, told, and no success of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.command_line import lve
from support.folders import write_test

NEEDS_A_MODEL = {"checker_name": "ToxicityChecker", "toxicity_threshold": 0.5, "model": "no/such"}
NEEDS_NOTHING = {"checker_name": "LambdaChecker", "func": "lambda r: r == 'yes'"}


def write(folder: Path, checker: dict[str, Any]) -> None:
    instance = {"args": {}, "response": "yes", "passed": True}
    write_test(folder, model="replay", checker_args=checker, instances=[instance])


def run(*arguments: str) -> Result:
    return lve("run", *arguments)


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lve.yaml").write_text("")


def test_it_is_skipped_and_the_others_run(tmp_path: Path) -> None:
    write(tmp_path / "one", NEEDS_A_MODEL)
    write(tmp_path / "other", NEEDS_NOTHING)
    result = run(".")
    assert result.exit_code == 0, result.output
    assert "skipped: one: " in result.stdout
    assert "2 tests: 1 passed, 1 skipped" in result.stdout
    report = json.loads(run(".", "--json").stdout)
    assert [each["path"] for each in report["summary"]["skipped"]] == ["one"]
    assert report["summary"]["tests"]["skipped"] == 1


def test_alone_it_is_no_success(tmp_path: Path) -> None:
    write(tmp_path / "one", NEEDS_A_MODEL)
    result = run("one")
    assert result.exit_code == 5
    assert "skipped: one: " in result.stdout
