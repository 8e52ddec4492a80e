"""docs/which-page.md: its promises, word for word."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace
from support.page_statements import Statement, Statements, results, rows, write

STATEMENTS = Statements()
on_page = STATEMENTS.says


def pytest_of(root: Path, *options: str) -> str:
    """Return what pytest prints of a workspace."""
    workspace(root, "model: dummy/dummy\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@on_page(
    "which-page",
    "You need no Python: `pytest FOLDER` collects a folder with `test.yaml`.",
    "Each row is an item",
    "| `@pytest.mark.parametrize` | `dataset: [{...}, {...}]` |",
)
def pytest_collects_rows(root: Path) -> None:
    write(root / "t")
    assert "4 passed" in pytest_of(root, "t")
    assert "1 passed" in pytest_of(root, "t", "-k", "n2")


@on_page("which-page", '| `assert "Paris" in answer` | `check: {contains: Paris}` |')
def contains_is_in(root: Path) -> None:
    write(root / "t", check={"contains": "Paris"}, dataset=rows(1))
    write(root / "u", check={"contains": "Paris"}, default_model_args={"response": "Paris!"})
    (row,) = results()
    assert row["verdict"] == "failed"
    assert call("run", "u", "-m", "dummy/dummy")[0] == 0


@on_page("which-page", "say so with `expect: {at_least: 90%}`")
def nine_in_ten_are_enough(root: Path) -> None:
    answers = {"Hi n1": "Bye", "default": "Hello"}
    (root / "answers.yaml").write_text(json.dumps(answers), encoding="utf-8")
    options = {"provider": "scripted", "options": {"answers": "answers.yaml"}}
    workspace(root, json.dumps({"models": {"s": options}, "model": "s"}))
    for count in (10, 9):
        write(root / f"t{count}", dataset=rows(count), expect={"at_least": "90%"})
    assert (call("run", "t10")[0], call("run", "t9")[0]) == (0, 1)


@on_page("which-page", "`skip: REASON`, `expect: fail`")
def a_strict_xfail_is_expect_fail(root: Path) -> None:
    write(root / "skipped", skip="too slow")
    write(root / "weak", expect="fail")
    write(root / "bad", expect="fail", check={"contains": "Bye"})
    out = pytest_of(root)
    assert "4 skipped" in out or "1 skipped" in out
    assert call("run", "weak", "-m", "dummy/dummy")[0] == 1
    assert call("run", "bad", "-m", "dummy/dummy")[0] == 0


@on_page("which-page", "recorded answers: `lve record`, then `--lve-replay`")
def recorded_answers_are_a_mock(root: Path) -> None:
    write(root / "t", dataset=[], prompt_parameters=["name"])
    file = root / "t" / "test.json"
    whole = json.loads(file.read_text(encoding="utf-8"))
    del whole["dataset"]
    file.write_text(json.dumps(whole), encoding="utf-8")
    assert call("record", "t", "-m", "dummy/dummy", "-p", "name=Ana", "-y")[0] == 0
    assert "1 passed" in pytest_of(root, "--lve-replay", "t")


@on_page(
    "which-page",
    "converts a configuration and says what it leaves out.",
    "One configuration becomes several folders",
)
def a_configuration_becomes_several_folders(root: Path) -> None:
    config = {
        "prompts": ["Hi {{name}}"],
        "tests": [
            {"vars": {"name": "a"}, "assert": [{"type": "contains", "value": "Hello"}]},
            {"vars": {"name": "b"}, "assert": [{"type": "ruby", "value": "true"}]},
            {"vars": {"name": "c"}, "assert": [{"type": "icontains", "value": "hello"}]},
        ],
    }
    (root / "promptfooconfig.yaml").write_text(json.dumps(config), encoding="utf-8")
    code, out, err = call("import", "promptfoo", "promptfooconfig.yaml", "-o", "tests")
    assert code == 0
    assert len([*(root / "tests").rglob("test.json")]) > 1
    assert "left out" in out + err


@on_page("which-page", "`lve check --modernize FOLDER` rewrites the documents.")
def documents_are_rewritten(root: Path) -> None:
    checker = {"checker_name": "ExactMatchChecker", "pattern": "Hello", "match_safe": True}
    write(root / "t", check=None, checker_args=checker)
    file = root / "t" / "test.json"
    file.write_text(json.dumps({k: v for k, v in json.loads(file.read_text()).items() if v}))
    assert call("check", "--modernize", "t")[0] == 0
    assert json.loads(file.read_text())["check"] == {"contains": "Hello"}


@pytest.mark.parametrize("statement", [*STATEMENTS.cases()])
def test_the_page_is_true(
    statement: Statement, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement.hold(tmp_path, monkeypatch)
