"""`lve run --last-failed`: what went against what its test expects, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from click.testing import Result
from support.command_line import call, lve
from support.folders import write_test
from support.recorded_answers import STALE

from lve.errors import NoSessionError

WEAK = {"expect": "fail"}


def write(folder: Path, answers: Iterable[str], **document: Any) -> None:
    """Write a test whose recorded answers pass where they are "Hello"."""
    rows = [{"args": {"n": str(n)}, "response": text} for n, text in enumerate(answers)]
    prompt = [{"content": "Say hello, {n}."}]
    keys = {"model": "replay", "prompt": prompt, "prompt_parameters": ["n"], **document}
    write_test(folder, instances=rows, **keys)


def ran(result: Result) -> dict[str, list[int]]:
    """Return test -> the lines of its instances that ran."""
    tests = json.loads(result.stdout)["tests"]
    return {test["path"]: [one["line"] for one in test["instances"]] for test in tests}


def test_of_a_known_weakness_what_passed_runs_again(root: Path) -> None:
    write(root / "weak", ["leaked", "Hello", "leaked"], **WEAK)
    write(root / "good", ["Hello", "Hello", "rude"])
    lve("run", code=1)
    assert ran(lve("run", "--last-failed", "--json", code=1)) == {"good": [3], "weak": [2]}


def test_tests_without_failures_are_no_part_of_the_session(root: Path) -> None:
    write(root / "weak", ["leaked"], **WEAK)
    write(root / "good", ["Hello"])
    write(root / "bad", ["rude", "Hello"])
    lve("run", code=1)
    result = lve("run", "--last-failed", "--json", code=1)
    assert ran(result) == {"bad": [1]}
    assert json.loads(result.stdout)["summary"]["tests"]["inconclusive"] == 0


def test_nothing_runs_when_all_failures_were_expected(root: Path) -> None:
    write(root / "weak", ["leaked"], **WEAK)
    lve("run")
    result = lve("run", "--last-failed", code=5)
    assert "nothing failed unexpectedly in the last session (" in result.stderr


def test_errors_are_no_failures(root: Path) -> None:
    write_test(root / "t", instances=[STALE], model="replay")
    lve("run", code=3)
    lve("run", "--last-failed", code=5)


def test_paths_choose_among_the_failures(root: Path) -> None:
    write(root / "a", ["rude"])
    write(root / "b", ["rude"])
    lve("run", code=1)
    assert ran(lve("run", "b", "--last-failed", "--json", code=1)) == {"b": [1]}


def test_a_test_that_has_become_invalid_is_told(root: Path) -> None:
    write(root / "t", ["rude"])
    lve("run", code=1)
    (root / "t" / "test.json").write_text("{")
    result = lve("run", "--last-failed", code=2)
    assert "invalid: t" in result.stdout


def test_a_session_of_failures_is_resumed_as_one(root: Path) -> None:
    write(root / "a", ["rude", "Hello", "rude", "rude"])
    write(root / "b", ["Hello"])
    lve("run", code=1)
    stopped = lve("run", "--last-failed", "--max-requests", "1", code=6)
    assert "not run: about 2 results\n" in stopped.stdout
    assert ran(lve("run", "--resume", "--max-requests", "9", "--json", code=1)) == {"a": [1, 3, 4]}


def test_the_errors_of_a_session_of_failures_run_again_alone(root: Path) -> None:
    write(root / "a", ["rude", "Hello", "rude"])
    lve("run", code=1)
    lve("run", "--last-failed", code=1)
    again = lve("run", "--retry-errors", "--json", code=1)
    assert json.loads(again.stdout)["summary"]["requests"] == 0
    assert ran(again) == {"a": [1, 3]}


def test_failures_of_a_session_that_is_gone_cannot_be_resumed(root: Path) -> None:
    write(root / "a", ["rude", "rude"])
    session = json.loads(lve("run", "--json", code=1).stdout)["session"]
    lve("run", "--last-failed", "--max-requests", "1", code=6)
    rmtree(root / ".lve" / "runs" / session)
    with pytest.raises(NoSessionError, match=f"no session '{session}'"):
        call("run", "--resume")


@pytest.mark.parametrize("again", [[], ["--resume", "--max-requests", "99"]])
def test_what_failed_before_gives_no_pass_rate(root: Path, again: list[str]) -> None:
    write(root / "t", ["Hello"] * 10 + ["rude"] * 10, expect={"pass_rate": ">=0.5"})
    lve("run", code=4)
    result = lve(
        "run", "--last-failed", *(["--max-requests", "3"] if again else []), code=6 if again else 4
    )
    if again:
        result = lve("run", *again, code=4)
    assert "? t · replay · 0/10 passed" in result.stdout
    assert "only what failed before ran again: no rate, expected >= 0.5" in result.stdout
    assert "only what failed before ran again: no rate" in lve("score", "last", code=4).stdout
