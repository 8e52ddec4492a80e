"""`lve list`: one line per test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_test

from lve.checkers.by_name import BUILTIN_CHECKERS


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    tags = [{"name": "severity", "value": "low"}, {"name": "jailbreak", "value": "no"}]
    instances = [{"args": {"seed": n // 2}, "response": "Hello", "run_info": {}} for n in range(24)]
    write_test(tmp_path / "a" / "long_name", tags=tags, instances=instances)
    write_test(tmp_path / "b", models=["x/one", "x/two"], model=None, skip="too slow")
    return tmp_path


def test_each_test_is_one_aligned_line(root: Path) -> None:
    assert call("list") == (
        0,
        "a/long_name  12  dummy/dummy  severity=low jailbreak=no\n"
        "b             1  x/one,x/two  skipped\n",
        "",
    )


def test_wide_characters_take_two_columns(root: Path) -> None:
    write_test(root / "日本語")
    assert [line.partition("dummy")[0] for line in call("list", "a", "日本語")[1].splitlines()] == [
        "a/long_name  12  ",
        "日本語        1  ",
    ]


def test_json_lists_the_same(root: Path) -> None:
    document = json.loads(call("list", "b", "--json")[1])
    (test,) = document["tests"]
    assert (test["path"], test["models"], test["instances"]) == ("b", ["x/one", "x/two"], 1)
    assert test["skip"] == "too slow"


def test_a_bad_test_does_not_hide_the_others(root: Path) -> None:
    write_test(root / "c", description=None, describtion="x")
    code, out, err = call("list")
    assert code == 2
    assert len(out.splitlines()) == 2
    assert "did you mean `description`?" in err


def test_json_tells_where_a_problem_is_and_what_helps(root: Path) -> None:
    write_test(root / "c", description=None, describtion="x")
    code, out, _ = call("list", "c", "--json")
    assert code == 2
    [problem] = json.loads(out)["problems"]
    assert problem == {
        "file": "c/test.json",
        "line": 14,
        "column": 2,
        "code": "unknown_key",
        "path": "$.describtion",
        "message": "unknown key `describtion`",
        "hint": "did you mean `description`?",
        "severity": "error",
    }


def test_instances_that_cannot_be_read_are_told(root: Path) -> None:
    (root / "a/long_name/instances/none.jsonl").mkdir()
    (root / "a/long_name/instances/part.jsonl").write_text('{"args": {"seed": 99}}\n{bad\n')
    code, out, err = call("list", "a")
    assert (code, out.split()[:2]) == (2, ["a/long_name", "13"])
    assert err.splitlines() == [
        "lve: a/long_name/instances/none.jsonl: is a folder, not a file [unreadable]",
        "lve: a/long_name/instances/part.jsonl:2:2: expected a key in double quotes [syntax]",
    ]
    problems = json.loads(call("list", "a", "--json")[1])["problems"]
    assert [problem["line"] for problem in problems] == [None, 2]


def test_no_tests_is_told(root: Path) -> None:
    (root / "empty").mkdir()
    code, out, err = call("list", "empty")
    assert (code, out) == (5, "")
    assert "lve: no tests in empty" in err


def test_checkers_are_listed_with_their_arguments(root: Path) -> None:
    (root / "checkers/mine").mkdir(parents=True)
    (root / "checkers/mine/checker.py").write_text("class MyChecker: ...\nraise SystemExit\n")
    (root / "checkers/broken").mkdir()
    (root / "checkers/broken/checker.py").write_text("class\n")
    code, out, _ = call("list", "checkers")
    assert code == 0
    assert "RegexChecker(pattern, match_safe, flags)\n    Searches the response" in out
    assert out.endswith("MyChecker\n    shared: checkers/mine/checker.py\n")
    assert max(map(len, out.splitlines())) <= 80
    listed = json.loads(call("list", "checkers", "--json")[1])["checkers"]
    assert {checker["name"] for checker in listed} >= {*BUILTIN_CHECKERS, "MyChecker"}


def test_models_are_those_of_settings_and_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "http://localhost:1/v1"
    settings = {"model": "local/x", "models": {"local/x": {"base_url": url}}}
    monkeypatch.chdir(workspace(tmp_path, json.dumps(settings)))
    write_test(tmp_path / "a", model="openai/gpt-4")
    write_test(tmp_path / "b", model=None, models=["openai/gpt-4", "local/x"])
    code, out, _ = call("list", "models")
    assert code == 0
    assert out.splitlines()[:2] == [
        "local/x · settings: http://localhost:1 · 1 test · the default of the settings",
        "openai/gpt-4 · 2 tests",
    ]
    assert "replay · the answers recorded in instances/\n" in out
    models = json.loads(call("list", "models", "--json")[1])["models"]
    assert models[1] == {"name": "openai/gpt-4", "tests": 2, "where": "", "is_default": False}


def test_tests_in_a_folder_of_that_name_are_listed(root: Path) -> None:
    write_test(root / "models/a")
    assert call("list", "models")[1].startswith("models/a")


def test_a_suites_problem_is_told_once_for_all_tests_below_it(root: Path) -> None:
    (root / "suite.yaml").write_text("repeats: many\n")
    for verb in (("list",), ("run", "--show-config"), ("run", "--dry-run"), ("run",), ("check",)):
        code, out, err = call(*verb)
        assert code == 2, verb
        assert (out + err).count("suite.yaml:1:10") == (2 if verb == ("run",) else 1), verb
    (root / "suite.yaml").write_text("tags: [{name: owasp, value: LLM99}]\n")
    for verb in (("run", "--limit", "1"), ("check",)):
        _, out, err = call(*verb, "-m", "dummy/dummy") if verb[0] == "run" else call(*verb)
        assert (out + err).count("LLM99") == 1, verb
