"""`lve compare --save`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from comparison.compared import verdicts, write_session
from support.command_line import lve
from support.folders import write_test

STATE = ".lve"
FILE = "lve.baseline.json"


def session(root: Path, letters: str, day: int = 1, test: str = "t") -> None:
    write_session(root / STATE, verdicts(letters, test), day=day)


def test_a_baseline_is_saved_shown_and_compared_with(root: Path) -> None:
    session(root, "PPPPPPPPF")
    result = lve("compare", "--save")
    assert f"wrote {FILE}: 1 test of session 2026" in result.stderr
    assert "t  openai/m: 8/9 = 88.9% (9 rows)" in lve("show", "lve.baseline.json").stdout
    lve("compare", FILE, "--gate")
    session(root, "FFFFFFFFF", day=2)
    result = lve("compare", FILE, "--gate", code=1)
    assert f"before: baseline {FILE}" in result.stdout
    assert "answer now: hello" in result.stdout


def test_a_baseline_that_is_there_is_replaced_only_by_force(root: Path) -> None:
    session(root, "P")
    lve("compare", "--save")
    session(root, "F", day=2)
    result = lve("compare", "--save", code=2)
    assert "--update updates the session's tests in it" in str(result.exception)
    lve("compare", FILE, "20261101")
    lve("compare", "--save", "--force")
    assert '"F"' in (root / FILE).read_text()


def test_an_update_says_what_changes(root: Path) -> None:
    session(root, "PPP")
    lve("compare", "--save")
    session(root, "PFPP", day=2)
    result = lve("compare", "--save", "--update")
    assert "1 verdict changed, 1 new, 0 gone" in result.stderr
    session(root, "F", day=3, test="u")
    assert "0 verdicts changed, 1 new, 0 gone" in lve("compare", "--save", "--update").stderr
    shown = json.loads(lve("show", "lve.baseline.json", "--json").stdout)
    assert [(one["test"], one["passed"], one["failed"]) for one in shown["tests"]] == [
        ("t", 3, 1),
        ("u", 0, 1),
    ]


def test_the_file_can_be_chosen_and_the_settings_can_name_it(root: Path) -> None:
    session(root, "P")
    lve("compare", "20261101", "--save", "nightly.json")
    assert (root / "nightly.json").is_file()
    assert "made of session" in lve("show", "nightly.json").stdout
    (root / "lve.yaml").write_text("comparison: {baseline: data/b.json}\n")
    lve("compare", "--save")
    assert (root / "data" / "b.json").is_file()


def test_a_session_without_a_verdict_is_no_baseline(root: Path) -> None:
    session(root, "EE")
    result = lve("compare", "--save", code=2)
    assert "has no verdict" in str(result.exception)
    assert not (root / FILE).exists()


def test_errors_are_told(root: Path) -> None:
    session(root, "PE")
    assert "1 result without a verdict" in lve("compare", "--save").stderr


def test_an_update_needs_a_baseline(root: Path) -> None:
    session(root, "P")
    assert "`lve compare --save" in str(lve("compare", "--save", "--update", code=2).exception)


def test_an_update_by_a_run_of_some_rows_loses_no_verdict(root: Path) -> None:
    rows = [{"args": {"n": str(n)}} for n in range(5)]
    prompt = [{"content": "Say hello, {n}."}]
    folder = write_test(root / "t", instances=rows, prompt=prompt, prompt_parameters=["n"])
    lve("run", "t")
    lve("compare", "--save")
    before = (root / "lve.baseline.json").read_bytes()
    lve("run", "t", "--limit", "2")
    refused = str(lve("compare", "--save", "--update", code=2).exception)
    assert "didn't run all rows" in refused
    assert "3 verdicts of the baseline would go" in refused
    assert (root / "lve.baseline.json").read_bytes() == before
    (folder / "instances" / "main.jsonl").write_text('{"args": {"n": "0"}}\n')
    lve("run", "t")
    assert "4 gone" in lve("compare", "--save", "--update").stderr


def test_it_is_compared_against_without_a_name(root: Path) -> None:
    session(root, "PPP")
    lve("compare", "--save", "2026")  # no file's name: the session
    session(root, "FFF", day=2)
    lve("compare", "--against", "--gate", code=1)
    lve("compare", "--against", "last~1", "--gate")
    lve("compare", "--against", FILE, "--gate", "any", code=1)
    assert "no baseline" in str(lve("compare", "--against", "none.json", code=2).exception)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--save", "--update", "--force"), "--update and --force don't go together"),
        (("--save", "last~1", "last"), "--save takes one session"),
        (("--save", "--gate"), "--save only goes together with --update, --force, --session-dir"),
        (("--save", "--against"), "--save only goes together with"),
        (("--save", "--json"), "--save only goes together with"),
        (("--force",), "--update and --force belong to --save"),
        (("--update",), "--update and --force belong to --save"),
        (("--against", FILE, "last", "last~1"), "`lve compare` takes two runs, not 3"),
    ],
    ids=str,
)
def test_options_that_exclude_each_other(root: Path, words: tuple[str, ...], problem: str) -> None:
    session(root, "P")
    result = lve("compare", *words, code=2)
    assert problem in result.output
    assert not (root / FILE).exists()


def test_earlier_names_do_the_same(root: Path) -> None:
    session(root, "PP")
    lve("baseline", "save")
    first = (root / FILE).read_bytes()
    lve("compare", "--save", "--force")
    assert (root / FILE).read_bytes() == first
    lve("baseline", "update")
    assert lve("baseline", "show").stdout == lve("show", FILE).stdout
