"""The patterns of new tests are good tests; existing tests are copied without harm."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import lve
from support.folders import write_sums, write_test

from lve.errors import UsageError
from lve.extensions.authoring.patterns import GALLERY, MAX_FILES, pattern_names, read_origin

EXTRAS = {"sql_query": "sqlglot", "translation": "sacrebleu"}
ASKING = {"polite_reply", "rag_answer", "tool_call"}
"""Patterns without recorded answers: a judge, or a model that calls a tool, is asked each time."""


@pytest.mark.parametrize("name", pattern_names())
def test_a_pattern_works_at_once(name: str, root: Path) -> None:
    if name in EXTRAS:
        pytest.importorskip(EXTRAS[name])
    lve("new", "repository/mine/x", "--from", name)
    checked = lve("check", "repository/mine/x", "--mutate")
    assert "no verdict flips" in checked.output
    if name not in ASKING:
        lve("run", "repository/mine/x", "--model", "replay")
    assert (root / "repository/mine/x/README.md").read_text("utf-8").startswith("# ")


def test_all_patterns_are_listed() -> None:
    result = lve("list", "patterns")
    assert len(pattern_names()) >= 30
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == pattern_names()


def test_an_existing_test_is_copied_without_its_recorded_answers(root: Path) -> None:
    folder = write_sums(root / "sums", 2, prompt=None, prompt_file="ask.prompt")
    (folder / "ask.prompt").write_text("Add {a} and {b}.")
    (folder / "data").mkdir()
    (folder / "data" / "notes.txt").write_text("n")
    (folder / ".secret").write_text("s")
    write_test(folder / "inner")
    result = lve("new", "copy", "--from", "sums", "--description", "mine", "--json")
    there = {p.relative_to(root / "copy").as_posix() for p in (root / "copy").rglob("*.*")}
    assert there == {"README.md", "ask.prompt", "data/notes.txt", "test.json"}
    assert "recorded answers of the original stay there" in result.stderr
    shown = lve("show", "copy")
    assert "mine" in shown.stdout


def test_a_path_wins_over_a_pattern(root: Path) -> None:
    write_test(root / "capitals", description="my own")
    assert read_origin("capitals").document["description"] == "my own"


def test_a_link_in_a_test_is_not_followed(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    secret = tmp_path_factory.mktemp("other") / "secret.txt"
    secret.write_text("private")
    folder = write_test(root / "t")
    (folder / "notes.txt").symlink_to(secret)
    result = lve("new", "copy", "--from", "t", code=2)
    assert result.exit_code != 0
    with pytest.raises(UsageError, match=r"notes\.txt"):
        read_origin("t")
    assert not (root / "copy").exists()


def test_too_many_files_are_refused(root: Path) -> None:
    folder = write_test(root / "t")
    for number in range(MAX_FILES + 1):
        (folder / f"{number}.txt").touch()
    with pytest.raises(UsageError, match=f"more than {MAX_FILES} files"):
        read_origin("t")


def test_a_pattern_names_no_schema_of_its_own() -> None:
    for file in GALLERY.glob("*/test.yaml"):
        assert "$schema" not in file.read_text("utf-8"), "the new test's address is another one"
