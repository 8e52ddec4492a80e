"""Hashes of a test's files."""

from __future__ import annotations

import os
from pathlib import Path

from support.folders import write_test

from lve.sessions.provenance import files_below, hashes_of
from lve.spec.load import load_spec


def test_a_folder_that_can_not_be_listed_is_no_reason_not_to_start(tmp_path: Path) -> None:
    spec = load_spec(write_test(tmp_path / "t"))
    (spec.folder / "notes.csv").write_text("a\n1\n")
    before = hashes_of(spec)
    # Deeper than any path may be long: nobody can list that, not even the administrator.
    folder = os.open(spec.folder, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("x" * 250, dir_fd=folder)
        inner = os.open("x" * 250, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    assert hashes_of(spec) == before
    assert set(before) == {"document", "data", "messages", "checks", "model_args", "inputs"}


def test_a_link_to_itself_is_no_file(tmp_path: Path) -> None:
    spec = load_spec(write_test(tmp_path / "t"))
    (spec.folder / "notes.csv").write_text("a\n1\n")
    before = hashes_of(spec)
    (spec.folder / "loop.csv").symlink_to("loop.csv")
    assert hashes_of(spec) == before


def test_the_sums_of_its_parts_tell_what_changed_in_a_document(tmp_path: Path) -> None:
    def sums(**document: object) -> dict[str, str]:
        return hashes_of(load_spec(write_test(tmp_path / "t", **document)))

    before = sums()
    unlike = {
        "messages": sums(prompt=[{"content": "Say good day."}]),
        "checks": sums(checker_args={"checker_name": "RegexChecker", "pattern": "Hi"}),
        "model_args": sums(default_model_args={"temperature": 1}),
        "inputs": sums(tools=[{"name": "greet", "description": "greets"}]),
        "description": sums(description="says hi"),
    }
    for name, now in unlike.items():
        changed = {part for part in before if before[part] != now[part]}
        assert changed == {"document", name} - {"description"}


FILES = {
    "test.json": True,
    "instances/a.jsonl": True,
    "deep/er/data.csv": True,
    "checker.py": True,
    "a.hidden": True,
    ".hidden": False,
    ".git/config": False,
    "__pycache__/checker.pyc": False,
    "deep/__pycache__/a.pyc": False,
    "deep/.cache/a": False,
    "other/test.json": False,  # a test of its own
    "other/instances/b.jsonl": False,
    "yaml/test.yaml": False,
    "yaml/data.csv": False,
    "deep/test.txt": True,
}


def test_the_files_of_a_test_are_those_that_are_no_other_tests(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert sorted(files_below(tmp_path)) == sorted(name for name, is_own in FILES.items() if is_own)
