"""docs/contributing.md: who follows it ends with a test that the repository accepts."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from extensions.contributing.contribution import git
from support.command_line import call
from support.forked import python
from support.server import model_server

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/contributing.md").read_text("utf-8").partition("## Change the code")[0]
COMMANDS = [shlex.split(each) for each in re.findall(r"`(lve [^`]*my_test[^`]*)`", GUIDE)]
MY_TEST = "repository/courtesy/my_test"
DOCUMENT = """\
# yaml-language-server: $schema=../../../schemas/test.schema.json
description: The model greets back.
model: openai/gpt-6-luna
prompt:
  - role: user
    content: Hello, I am {name}.
prompt_parameters: [name]
checker_args: {checker_name: ExactMatchChecker, pattern: Hello, match_safe: true}
examples:
  - {verdict: passed, response: "Hello, Ana!"}
  - {verdict: failed, response: Go away.}
"""
LINE = "| [courtesy](courtesy) | manners |\n"


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the guide needs of this repository, with a test in a new category."""
    for name in ("repository", "schemas", "checkers"):
        shutil.copytree(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    git("init", "--quiet", "--initial-branch", "main")
    for name, value in (("user.name", "Ana"), ("user.email", "ana@example.com")):
        git("config", name, value)
    git("add", "--all")
    git("commit", "--quiet", "--message", "as it was")
    git("switch", "--quiet", "--create", "mine")
    for name in ("pyproject.toml", "tests/test_repository.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    table = tmp_path / "repository/README.md"
    text = table.read_text("utf-8")
    table.write_text(re.sub(r"(\| \[privacy\].*\n)", rf"{LINE}\1", text), "utf-8")
    folder = tmp_path / MY_TEST
    folder.mkdir(parents=True)
    (folder / "test.yaml").write_text(DOCUMENT)
    (folder / "README.md").write_text("# Greetings\n\nA failure means bad manners.\n")
    return tmp_path


def follow(command: list[str], *more: str) -> int:
    words = [word.replace("repository/privacy/my_test", MY_TEST) for word in command[1:]]
    return call(*words, *more)[0]


def checks(clone: Path, selected: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*python(), "-m", "pytest", "-q", "tests/test_repository.py", "-k", selected],
        cwd=clone,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_commands_of_the_guide_give_a_test_that_is_accepted(clone: Path) -> None:
    check, render, record, replay, readme, contribute, commit = COMMANDS
    assert [follow(command) for command in (check, render)] == [0, 0]
    with model_server("Hello, Ana!") as server:
        assert follow(record, "--base-url", server.url) == 0
        assert len(server.requests) == 1
    assert follow(replay) == 0
    assert [follow(command) for command in (readme, contribute, commit)] == [0, 0, 0]
    assert "lve readme: end" in git("show", f"HEAD:{MY_TEST}/README.md")
    assert LINE in git("show", "HEAD:repository/README.md")
    assert git("status", "--porcelain", "--", "repository") == "", "all of it is committed"
    title, *_, last = call("contrib", "pr", "--dry-run")[1].splitlines()
    assert title == "Add test courtesy/my_test"
    assert last == "`lve check --contribute` finds nothing wrong."
    # Of the other tests only what is quick: the rest runs in tests/test_repository.py itself.
    done = checks(clone, "my_test or not (replays or prove)")
    assert done.returncode == 0, done.stdout
    assert " skipped" not in done.stdout


def test_what_lve_new_writes_is_accepted(clone: Path) -> None:
    shutil.rmtree(clone / MY_TEST)
    said = [
        "--description",
        "Greets.",
        "--prompt",
        "Hello, I am {name}.",
        "--check",
        "contains: Hello",
    ]
    examples = ["-p", "name=Ana", "--passes", "Hello!", "--fails", "Bye."]
    model = ["--model", "openai/gpt-6-luna"]
    assert call("new", MY_TEST, *said, *examples, *model)[0] == 0
    with model_server("Hello, Ana!") as server:
        assert call("record", MY_TEST, "--base-url", server.url)[0] == 0, "the examples' args"
    assert call("check", "--contribute", MY_TEST)[0] == 0


DEFECTS = (
    ("repository/README.md", LINE, "", "test_its_category_is_in_the_table"),
    (f"{MY_TEST}/README.md", "# ", "", "test_it_is_complete"),
    (f"{MY_TEST}/test.yaml", "$schema=", "", "test_it_is_complete"),
    (f"{MY_TEST}/test.yaml", "Go away", "Hello", "test_its_examples_prove_its_checkers"),
    (f"{MY_TEST}/instances/a.jsonl", '"passed": true', '"passed": false', "test_it_replays"),
    (
        f"{MY_TEST}/instances/a.jsonl",
        "handwritten",
        "openai",
        "test_its_recorded_answers_say_where_they_come_from",
    ),
)
"""File, what is replaced in it and by what, and the test that finds it."""


def test_what_the_guide_asks_for_is_checked(clone: Path) -> None:
    """Each defect in a category of its own, so one run of pytest checks all."""
    instances = clone / MY_TEST / "instances"
    instances.mkdir()
    (instances / "a.jsonl").write_text(
        '{"args": {"name": "Ana"}, "response": "Hello", "passed": true,'
        ' "run_info": {"source": "handwritten"}}\n'
    )
    table = clone / "repository/README.md"
    categories = [f"courtesy{number}" for number, _ in enumerate(DEFECTS)]
    lines = "".join(LINE.replace("courtesy", category) for category in categories)
    table.write_text(table.read_text("utf-8").replace(LINE, LINE + lines), "utf-8")
    for category, (file, old, new, _) in zip(categories, DEFECTS, strict=True):
        shutil.copytree(clone / "repository/courtesy", clone / "repository" / category)
        broken = clone / file.replace("courtesy", category)
        text, old = broken.read_text("utf-8"), old.replace("courtesy", category)
        assert old in text
        broken.write_text(text.replace(old, new), "utf-8")
    done = checks(clone, "my_test")
    assert done.returncode == 1
    found = re.findall(r"^FAILED \S+::(\w+)\[repository/(\w+)/my_test", done.stdout, re.MULTILINE)
    expected = [
        (failing, category) for category, (*_, failing) in zip(categories, DEFECTS, strict=True)
    ]
    assert set(found) >= set(expected), done.stdout
    assert "courtesy" not in [category for _, category in found], "without a defect"
