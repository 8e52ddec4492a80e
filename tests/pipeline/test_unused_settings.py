"""Settings that don't count are told of, once, to those who could take them for theirs."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import lve
from support.folders import workspace, write_test

VERBS = {"check": (), "run": (), "dry run": ("--dry-run",)}


@pytest.fixture
def outer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a folder and a test that bring settings."""
    monkeypatch.chdir(workspace(tmp_path / "outer"))
    suite = workspace(Path("given/suite").absolute(), "caps: {repeats: 1}")
    workspace(write_test(suite / "t"))
    write_test(suite / "u")
    (suite / "u" / "pyproject.toml").write_text("[tool.lve]\nmodel: 3\n", encoding="utf-8")
    write_test(Path("plain"))
    return tmp_path / "outer"


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("cwd", "path", "told"),
    [
        (".", "given/suite", "given/suite/lve.yaml is not used: the workspace is this folder"),
        ("given", "suite/x*", "suite/lve.yaml is not used: the workspace is .."),
        ("given/suite", ".", "lve.yaml is not used: the workspace is ../.."),
        (
            ".",
            "given/suite/u",
            "given/suite/u/pyproject.toml, given/suite/lve.yaml are not used: the workspace is "
            "this folder",
        ),
        ("given/suite/t", "", "lve.yaml, {outer}/given/suite/lve.yaml are not used:"),
    ],
)
def test_settings_that_do_not_count_are_told_of_once(
    verb: str, cwd: str, path: str, told: str, outer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(outer / cwd)
    options = ["--no-cache"] if verb == "run" else []
    words = [verb.split()[-1], *([path] if path else []), *VERBS[verb], *options]
    said = lve(*words, code=2 if "*" in path else 0).stderr
    assert said.count("not used: the workspace is") == 1
    assert f"lve: warning: {told.format(outer=outer)}" in said


@pytest.mark.parametrize("path", ["plain", "."])
def test_settings_that_nobody_names_are_not_told_of(path: str, outer: Path) -> None:
    assert "not used" not in lve("check", path).stderr
