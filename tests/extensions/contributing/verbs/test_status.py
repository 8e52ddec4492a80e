"""`lve contrib status`, with a real git."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from extensions.contributing.contribution import git, write_clone, write_contribution
from support.command_line import call

HOME = "repository/courtesy/greeting"


@pytest.fixture
def clone(root: Path) -> Path:
    write_contribution(write_clone(root))
    return root


def test_status_says_what_changed_and_what_it_lacks(clone: Path) -> None:
    assert call("contrib", "status") == (
        0,
        f"new      {HOME}  3 files  ok\n",
        f"lve: `lve contrib commit {HOME}` commits it\n",
    )
    (clone / HOME / "README.md").unlink()
    (clone / "notes.md").write_text("")
    code, out, err = call("contrib", "status")
    assert code == 2
    assert err == "lve: nothing to commit yet: fix these errors first\n"
    assert f"new      {HOME}  2 files  1 problem\n    {HOME}/README.md: is missing" in out
    assert "other    notes.md\n" in out


def test_the_step_that_it_names_works(clone: Path) -> None:
    (clone / HOME / "README.md").unlink()
    write_contribution(clone, "two words")
    step = call("contrib", "status")[2]
    ready = "repository/courtesy/two words"
    assert step == f"lve: `lve contrib commit '{ready}'` commits the first one without errors\n"
    assert call("contrib", "commit", ready)[0] == 0


def test_status_as_json(clone: Path) -> None:
    (clone / HOME / "README.md").unlink()
    found = json.loads(call("contrib", "status", "--json")[1])
    (test,) = found["tests"]
    assert (test["path"], test["kind"], len(test["files"])) == (HOME, "new", 2)
    assert test["problems"][0]["message"] == "is missing"
    assert (found["base"], found["committed"], found["other"]) == ("origin/main", [], [])


def test_what_is_committed_and_nothing(clone: Path) -> None:
    git("add", "--all")
    git("commit", "--quiet", "--message", "mine")
    code, out, err = call("contrib", "status")
    assert (code, out) == (0, f"commit   {HOME}  new, not in origin/main yet\n")
    assert err == "lve: `lve contrib pr` makes a pull request\n"
    assert json.loads(call("contrib", "status", "--json")[1])["committed"][0]["path"] == HOME
    git("push", "--quiet")
    assert call("contrib", "status") == (0, "", "lve: nothing has changed\n")
    assert clone.is_dir()


def test_many_files_of_no_test_are_counted(clone: Path) -> None:
    for number in range(8):
        (clone / f"notes{number}.md").write_text("")
    assert "notes3.md, notes4.md and 3 more\n" in call("contrib", "status")[1]


def test_a_test_that_cannot_be_read_is_told(clone: Path) -> None:
    (clone / HOME / "test.yaml").write_text("{")
    code, out, _ = call("contrib", "status")
    assert code == 2
    assert "1 problem" in out
    assert f"    {HOME}/test.yaml:2:1: not valid YAML" in out
