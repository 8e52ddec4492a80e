"""`lve check --contribute`: what a repository asks of a test."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from extensions.contributing.contribution import (
    README,
    recorded,
    write_contribution,
    write_repository,
)
from support.command_line import call

from lve.extensions.contributing.rules import RULES, broken_rules
from lve.pipeline.choosing.loading import choose_workspace
from lve.spec.load import load_spec
from lve.spec.prompt_sources import each_variant

HERE = "repository/courtesy/greeting"


@pytest.fixture
def folder(root: Path) -> Path:
    """A test that lacks nothing."""
    return write_contribution(write_repository(root))


def told(*arguments: str) -> tuple[int, str]:
    code, out, _ = call("check", HERE, "--contribute", *arguments)
    return code, out


@pytest.mark.usefixtures("folder")
def test_a_test_that_lacks_nothing_is_accepted() -> None:
    assert told() == (0, "1 test: all valid\n")


def change(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


FRAGILE = """LambdaChecker, func: "lambda r: r in ('Hello, Ana!', 'Hello!')\"}\n# """
FAILING = """LambdaChecker, func: "lambda r: 1 / (r != 'Hello!') and r[:5] == 'Hello'"}\n# """
IDLE = "expect: {at_least: 0}\ndescription: "
RATE = 'description: The model\nexpect: {pass_rate: ">=0.5"}\nauthor: me # '


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("test.yaml", "gpt-6-luna", "gpt-0-nova", "the model openai/gpt-0-nova isn't known"),
        ("../../README.md", "[courtesy]", "[manners]", "has no line for courtesy (add `| [court"),
        ("README.md", "# ", "", "README.md: doesn't begin with a title"),
        ("test.yaml", "$schema=", "", "has no `$schema` line"),
        ("test.yaml", "$schema=", "", "`$schema: ../../../schemas/test.schema.json`: `lve"),
        ("test.yaml", "../../../schemas", "../schemas", "write ../../../schemas/test.schema.json"),
        ("test.yaml", "failed, response: Go away.", "passed, response: Hello", "what has failed"),
        ("test.yaml", "Go away.", "Hello you", "this answer must fail"),
        ("test.yaml", "description: ", IDLE, "$.expect.at_least: can't fail: it is met even if"),
        ("test.yaml", "- content", "- {content: 1}\n  - content", "test.yaml:5"),
        ("instances/main.jsonl", '"passed": true', '"passed": false', "main.jsonl:2: `passed` is"),
        ("instances/main.jsonl", '"passed": true, ', "", "`passed` is missing, and the test"),
        ("instances/main.jsonl", "Hello!", "Shoo!", "recorded as passed and is now failed"),
        ("test.yaml", "ExactMatchChecker, pattern: Hello", FAILING, "can't be judged"),
        ("instances/main.jsonl", "handwritten", "openai", "lacks lve, model, timestamp"),
        ("instances/main.jsonl", '"source"', '"by": "x", "source"', "a handwritten answer says j"),
        ("instances/main.jsonl", '"response": "Hello!", ', "", "no recorded answer to replay"),
        ("instances/main.jsonl", recorded("Ana") + recorded("Bea"), "", "no recorded answers"),
    ],
)
def test_what_a_test_lacks_is_told(
    folder: Path, file: str, old: str, new: str, message: str
) -> None:
    change(folder, file, old, new)
    code, out = told()
    assert code == 2
    assert message in out


def test_a_row_of_the_document_is_named_by_its_number(folder: Path) -> None:
    (folder / "instances" / "main.jsonl").unlink()
    change(folder, "test.yaml", "description: ", "dataset: [{name: Ana}]\ndescription: ")
    assert "test.yaml: row 1: has no recorded answer to replay" in told()[1]


def test_a_readme_that_is_missing(folder: Path) -> None:
    (folder / "README.md").unlink()
    assert "README.md: is missing (say what you test" in told()[1]


def test_a_verdict_that_flips_is_told(folder: Path) -> None:
    change(folder, "test.yaml", "ExactMatchChecker, pattern: Hello", FRAGILE)
    code, out = told()
    assert code == 2
    assert "verdicts on examples flip with" in out
    assert "`lve check --mutate` shows how" in out


@pytest.mark.usefixtures("folder")
def test_examples_that_take_too_long_to_change_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.extensions.mutate.flips.MUTATION_S", -1.0)
    code, out = told()
    assert code == 2
    assert "its examples take too long to judge (use fewer, or shorter ones)" in out


def test_of_a_test_with_a_pass_rate_answers_may_fail(folder: Path) -> None:
    change(folder, "test.yaml", "description: The model", RATE)
    line = recorded("Carl", "Shoo!").replace("true", "false")
    (folder / "instances" / "other.jsonl").write_text(line)
    assert told()[0] == 0


def test_code_that_nobody_trusts_is_not_accepted(folder: Path) -> None:
    (folder / "checker").mkdir()
    (folder / "checker" / "checker.py").write_text(
        "from lve.checkers.base import BaseChecker\n\n\n"
        "class Mine(BaseChecker):\n    def is_safe(self, r, p, d):\n        return True\n"
    )
    change(folder, "test.yaml", "ExactMatchChecker, pattern: Hello, match_safe: true", "Mine")
    code, out = told()
    assert code == 2
    assert "a maintainer reads the code and trusts it" in out


def test_a_repository_without_table_and_schema_asks_for_neither(folder: Path) -> None:
    for file in ("repository/README.md", "schemas/test.schema.json"):
        Path(file).unlink()
    assert told()[0] == 0


def test_without_the_option_nothing_of_this_is_asked_for(folder: Path) -> None:
    (folder / "README.md").unlink()
    assert call("check", HERE)[0] == 0


def test_a_page_that_is_no_page_is_told(folder: Path) -> None:
    (folder / "README.md").write_bytes(b"# \xff")
    assert "README.md: must be UTF-8" in told()[1]
    (folder / "README.md").unlink()
    (folder / "README.md").symlink_to("/etc/hostname")
    assert "README.md" in told()[1]
    assert README.startswith("# ")


def test_each_rule_says_what_it_asks_for(folder: Path) -> None:
    assert all(inspect.getdoc(rule) for rule in RULES.values())
    spec, workspace = load_spec(folder), choose_workspace(())
    (folder / "README.md").unlink()
    found = {name: len([*broken_rules(spec, workspace, (name,))]) for name in RULES}
    assert found == {**dict.fromkeys(RULES, 0), "complete": 1}


def test_honest_rows_need_no_examples_because_their_check_is_another(folder: Path) -> None:
    change(folder, "test.yaml", "description: ", "benign: [{}]\ndescription: ")
    workspace = choose_workspace(())
    for spec in each_variant(load_spec(folder / "test.yaml", workspace.root)):
        assert spec.attack in ("none", "benign")
        assert [*broken_rules(spec, workspace, ("complete",))] == []
