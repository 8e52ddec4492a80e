"""`lve check --replay` and `lve contrib readme`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from extensions.contributing.contribution import write_contribution, write_repository
from support.command_line import call
from support.command_line import lve as command_line
from support.folders import write_test

HOME = "repository/courtesy/greeting"
NOT_ASKED = "no model was asked, and models, their args and settings were not looked at\n"


@pytest.fixture
def folder(root: Path) -> Path:
    return write_contribution(write_repository(root))


def test_examples_and_recorded_answers_are_judged(folder: Path) -> None:
    assert call("check", "--replay", HOME) == (
        0,
        f"ok  {HOME}: 2 examples, 2 rows\n{NOT_ASKED}",
        "",
    )
    file = folder / "instances" / "main.jsonl"
    file.write_text(file.read_text().replace("Hello!", "Shoo!", 1))
    code, out, _ = call("check", "--replay")
    assert code == 1
    assert out.startswith(f"FAILED  {HOME}: 2 examples, 2 rows\n    {HOME}/instances/main.j")
    assert "main.jsonl:1: the recorded answer was recorded as passed and is now failed" in out


def test_a_stale_answer_says_what_changed_and_what_to_do(folder: Path) -> None:
    assert call("record", HOME, "--accept")[0] == 0
    file = folder / "test.yaml"
    file.write_text(file.read_text().replace("Hello, I am {name}.", "Go away!"))
    code, out, _ = call("check", "--replay")
    assert code == 1
    assert "[-Hello, I am Ana.-]{+Go away!+}" in out
    assert f"`lve record {HOME} --accept` keeps it" in out


def test_each_problem_has_one_code_and_its_own(folder: Path) -> None:
    assert call("record", HOME, "--accept")[0] == 0
    file = folder / "test.yaml"
    file.write_text(file.read_text().replace("Hello, I am {name}.", "Go away!"))
    write_test(folder.parent / "none", instances=None)
    codes = re.findall(r"((?: \[\w+\])+)$", call("check", "--replay")[1], re.MULTILINE)
    assert codes == [" [stale_recording]"] * 2 + [" [not_recorded]"]


def test_a_wrong_example_fails(folder: Path) -> None:
    file = folder / "test.yaml"
    file.write_text(file.read_text().replace("Go away.", "Hello you"))
    code, out, _ = call("check", "--replay", "--json")
    assert code == 1
    (test,) = json.loads(out)["tests"]
    assert (test["path"], test["passed"], test["examples"]) == (HOME, False, 2)
    assert "this answer must fail" in test["problems"][0]["message"]


def test_what_is_not_about_answers_does_not_matter(folder: Path) -> None:
    (folder / "README.md").unlink()
    assert call("check", "--replay")[0] == 0


def test_an_invalid_test_and_no_test(folder: Path) -> None:
    assert call("check", "--replay", "schemas")[0] == 5
    (folder / "test.yaml").write_text("{")
    assert call("check", "--replay")[0] == 2


def test_readmes_are_written_and_checked(folder: Path) -> None:
    stale = (1, f"{HOME}/README.md: not up to date\n", "")
    assert call("contrib", "readme", "--check") == stale
    assert call("contrib", "readme", HOME) == (0, f"{HOME}/README.md: written\n", "")
    assert call("contrib", "readme", "--check") == (0, "all up to date\n", "")
    document = folder / "test.yaml"
    document.write_text(document.read_text().replace("greets", "waves"))
    assert call("contrib", "readme", "--check") == stale


def test_a_readme_that_cannot_be_written_is_a_problem(folder: Path) -> None:
    (folder / "README.md").write_text("<!-- lve readme: end -->")
    code, _, err = call("contrib", "readme")
    assert code == 2
    assert "README.md: its generated block has no beginning" in err
    assert call("contrib", "readme", "schemas")[0] == 5


@pytest.mark.parametrize(
    "option", ["--mutate", "--contribute", "--recorded", "--limit=3", "--trust"]
)
def test_a_replay_refuses_what_it_would_ignore(folder: Path, option: str) -> None:
    result = command_line("check", "--replay", option, code=2)
    assert "--replay goes together with --json alone" in result.output


def test_the_earlier_name_says_the_same(folder: Path) -> None:
    code, out, err = call("unit-test", HOME)
    assert (code, out) == call("check", "--replay", HOME)[:2]
    assert err == "lve: `lve unit-test` is now `lve check --replay`; the old name still works\n"
