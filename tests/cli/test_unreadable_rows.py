"""A test whose rows can't be read here stops no other one, whatever the verb."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from support.command_line import lve
from support.folders import workspace, write_test

NEEDS = "Parquet files need: pip install"


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a test that needs pyarrow, which isn't installed, between two others."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.chdir(workspace(tmp_path))
    write_test(tmp_path / "a")
    folder = write_test(tmp_path / "b", dataset="rows.parquet")
    (folder / "rows.parquet").write_bytes(b"PAR1")
    write_test(tmp_path / "c")
    return tmp_path


@pytest.mark.parametrize("verb", ["check", "list", "show", "render"])
def test_the_others_are_shown(verb: str) -> None:
    result = lve(verb, "--json", code=2)
    document = json.loads(result.stdout)
    shown = [test.get("file", test["path"]) for test in document["tests"]]
    assert {"a/test.json", "c/test.json"} <= set(shown)
    assert NEEDS in result.stdout
    assert f"b/test.json: {NEEDS}" in lve(verb, code=2).output


def test_the_others_run() -> None:
    result = lve("run", ".")
    assert "3 tests: 2 passed, 1 skipped" in result.output
    assert f"skipped: b: {NEEDS}" in result.output


def test_alone_it_is_no_success() -> None:
    lve("run", "b", code=5)


def test_the_others_are_estimated() -> None:
    result = lve("run", ".", "--dry-run")
    assert "total: 2 calls" in result.output
    assert NEEDS in result.output


def test_the_others_are_recorded(root: Path) -> None:
    result = lve("record", ".")
    assert (root / "a" / "instances").exists()
    assert (root / "c" / "instances").exists()
    assert NEEDS in result.output


def test_what_was_had_before_it_counts(root: Path) -> None:
    write_test(root / "b", dataset="rows.parquet", instances=[{"args": {}, "response": "Hello"}])
    result = lve("run", "b", code=2)
    assert "1 row: 1 passed" in result.output
    assert "\ninvalid: b (1 other result ran)\n" in result.output
    assert "\n1 test: 1 invalid\n" in result.output
