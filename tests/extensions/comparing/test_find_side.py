"""`lve compare --variants`: prompts are compared as models are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import write_test

ROWS = [{"q": str(number)} for number in range(12)]


@pytest.fixture
def runs(root: Path) -> Path:
    """A session of a test with three variants; `bad` fails 9 of 12 rows that `good` passes."""
    prompts = {"good": "Good {q}", "bad": "Bad {q}", "alike": "Alike {q}"}
    answers = {f"{start} {row['q']}": "Hello" for start in ("Good", "Alike") for row in ROWS}
    answers |= {f"Bad {row['q']}": "Hello" if int(row["q"]) < 3 else "no" for row in ROWS}
    text = json.dumps({"mine": {"provider": "scripted", "options": {"answers": answers}}})
    (root / "lve.yaml").write_text(f"models: {text}\n")
    write_test(root / "t", prompt=None, prompts=prompts, dataset=ROWS, model="mine")
    call("run", "t")
    return root


def compared(*arguments: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(call("compare", "--json", *arguments)[1])
    return document


@pytest.mark.usefixtures("runs")
def test_the_first_variant_is_compared_with_each_other_row_by_row() -> None:
    tests = {one["test"]: one["difference"] for one in compared("--variants")["tests"]}
    assert [*tests] == ["t (good → bad)", "t (good → alike)"]
    bad, alike = tests.values()
    assert (bad["broken"], bad["fixed"], alike["broken"], alike["fixed"]) == (9, 0, 0, 0)
    # McNemar's exact test of 9 against 0, times two comparisons (Holm).
    assert bad["p"] == pytest.approx(2 * 0.5**9)
    assert bad["p_adjusted"] == pytest.approx(4 * 0.5**9)


@pytest.mark.usefixtures("runs")
def test_the_cause_is_the_prompt() -> None:
    flips = compared("--prompts", "good", "bad")["flips"]
    assert len(flips) == 9
    assert {cause["name"] for flip in flips for cause in flip["causes"]} == {"prompt"}
    assert {flip["line"] for flip in flips} == {*range(4, 13)}


@pytest.mark.usefixtures("runs")
def test_the_order_is_the_one_of_the_option() -> None:
    (test,) = compared("--prompts", "bad", "good")["tests"]
    difference = test["difference"]
    assert (test["test"], difference["broken"], difference["fixed"]) == ("t (bad → good)", 0, 9)


@pytest.mark.parametrize("place", ["shop@v1/t", "a@b/c@d"])
def test_a_path_with_the_mark_is_no_variant(root: Path, place: str) -> None:
    prompts = {"one": "Say hello.", "two": "Say hello!"}
    write_test(root / place, prompt=None, prompts=prompts)
    write_test(root / "u@x")
    write_test(root / "u@y")
    call("run", ".")
    names = [one["test"] for one in compared("--variants")["tests"]]
    assert names == [f"{place} (one → two)"]


def test_one_variant_alone_is_told_as_such(runs: Path) -> None:
    call("run", "t", "--prompts", "bad")
    assert "run them all (no --prompts)" in str(lve("compare", "--variants", code=2).exception)


def test_folders_with_the_mark_are_no_variants(root: Path) -> None:
    write_test(root / "u@x")
    write_test(root / "u@y")
    call("run", ".")
    assert "no test ran with two variants there: give it `prompts:" in str(
        lve("compare", "--variants", code=2).exception
    )


def test_variants_of_two_sessions_are_compared(runs: Path) -> None:
    call("run", "t", "--prompts", "bad")
    (test,) = compared("last~1", "last", "--prompts", "good", "bad")["tests"]
    assert test["difference"]["broken"] == 9


def test_it_is_a_gate_and_a_comment(runs: Path) -> None:
    assert call("compare", "--prompts", "good", "bad", "--gate", "-o", "c.md")[0] == 1
    assert "`t (good → bad)`" in (runs / "c.md").read_text()
    assert call("compare", "--prompts", "good", "alike", "--gate", "any")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--prompts", "good", "nope"), "no test has both variants, good and nope: there are"),
        (("--prompts", "nope", "good"), "no test has both variants, nope and good: there are"),
    ],
)
@pytest.mark.usefixtures("runs")
def test_what_can_not_be_compared_is_said(arguments: tuple[str, ...], said: str) -> None:
    assert said in str(lve("compare", *arguments, code=2).exception)


def test_without_variants_there_is_nothing_to_compare(root: Path) -> None:
    write_test(root / "t")
    call("run", "t")
    assert "no test ran with two variants there: give it `prompts:" in str(
        lve("compare", "--variants", code=2).exception
    )
