"""`lve explain`, and the codes by which people get there."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_test
from support.forked import python

from lve.errors import UsageError
from lve.message_codes.catalogue import entries

ONE = entries()["missing_column"]


def test_a_code_is_explained() -> None:
    code, out, err = call("explain", "missing_column", "no_model")
    assert (code, err) == (0, "")
    assert out.startswith("missing_column (Data)\n\nWhy: The rows lack a column")
    assert "\n\nWhat to do: Add it" in out
    assert "\n\nno_model (Models and settings)\n\n" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_whole_message_is_understood() -> None:
    message = "lve: rows.csv:1: lacks the column `a` [missing_column]\n"
    assert call("explain", message)[1] == call("explain", "missing_column")[1]
    assert call("explain", "[missing_column]")[1] == call("explain", "missing_column")[1]


def test_all_codes_are_listed() -> None:
    code, out, _ = call("explain")
    assert code == 0
    assert all(code in out for code in entries())
    assert max(map(len, out.splitlines())) <= 80


def test_json_has_the_same() -> None:
    document = json.loads(call("explain", "missing_column", "checker", "--json")[1])
    assert document["codes"][0] == {
        "code": "missing_column",
        "group": "Data",
        "cause": ONE.cause,
        "remedy": ONE.remedy,
        "error_kind": False,
    }
    assert document["codes"][1]["error_kind"] is True
    assert len(json.loads(call("explain", "--json")[1])["codes"]) == len(entries())


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("missing_colum", "'missing_colum': did you mean `missing_column`?"),
        ("lve: it lacks `a` [missing_colum]\n", "'missing_colum': did you mean"),
        ("\x1b[2J", "`lve explain` lists all"),
        ("x" * 40, f"{'x' * 40!r}: `lve explain` lists all"),
        ("x" * 41, f"{'x' * 40!r}: `lve explain` lists all"),
    ],
)
def test_an_unknown_code_is_told(given: str, hint: str) -> None:
    with pytest.raises(UsageError, match=re.escape(hint)) as caught:
        call("explain", "no_model", given)
    assert caught.value.code == "unknown_name"
    assert "\x1b" not in caught.value.message_with_code


@pytest.fixture
def tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with tests that are wrong in several ways."""
    monkeypatch.chdir(workspace(tmp_path))
    write_test(tmp_path / "t", model=None)
    write_test(tmp_path / "wrong", model="dummy/dummy", describtion="x")
    write_test(tmp_path / "custom", model="dummy/dummy", checker_args={"checker_name": "Mine"})
    (tmp_path / "custom/checker").mkdir()
    (tmp_path / "custom/checker/checker.py").write_text("class Mine:\n    pass\n")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/test.json").write_text("{")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["check", "wrong"], "unknown_key"),
        (["check", "broken"], "syntax"),
        (["list", "wrong"], "unknown_key"),
        (["show", "wrong"], "unknown_key"),
        (["render", "wrong"], "unknown_key"),
        (["check", "--replay", "wrong"], "unknown_key"),
        (["run", "wrong", "--model", "dummy/dummy"], "unknown_key"),
        (["run", "custom"], "untrusted"),
        (["run", "wrong", "--dry-run", "--model", "dummy/dummy"], "unknown_key"),
    ],
)
def test_a_line_about_a_test_ends_with_its_code(words: list[str], code: str, tests: Path) -> None:
    _, out, err = call(*words)
    assert f"[{code}]" in ended(out + err)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["run", "nowhere"], "no_such_path"),
        (["run", "t"], "no_model"),
        (["run", "t", "--model", "nobody/x"], "unknown_model"),
        (["score", "last"], "no_such_session"),
        (["run", "t", "--limit", "many"], "usage"),
        (["run", "t", "--limt", "1"], "usage"),
        (["frobnicate"], "usage"),
        (["run", "t", "--model", "dummy/dummy", "--tag", "none"], "nothing_selected"),
    ],
)
def test_what_ends_a_command_ends_with_its_code(words: list[str], code: str, tests: Path) -> None:
    command = [*python(), "-m", "lve", *words]
    done = subprocess.run(command, cwd=tests, capture_output=True, text=True, check=False)
    assert done.returncode == (5 if code == "nothing_selected" else 2)
    assert ended(done.stderr)[-1] == f"[{code}]"


def test_a_problem_in_json_has_its_code(tests: Path) -> None:
    for verb in ("check", "list", "show"):
        document = json.loads(call(verb, "wrong", "--json")[1])
        of_tests = (one for test in document["tests"] for one in test.get("problems", ()))
        problems = document.get("problems") or list(of_tests)
        assert [problem["code"] for problem in problems] == ["unknown_key"]


def ended(text: str) -> list[str]:
    """The last word of each line."""
    return [line.split(" ")[-1] for line in text.splitlines()]
