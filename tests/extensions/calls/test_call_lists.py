"""Checks of all calls of a run, by labelled rows, and their scores."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_of, run_of_calls

from lve.checkers.contract import CheckContext, Verdict
from lve.errors import SpecError

CASES = Path(__file__).parents[2] / "cases" / "calls" / "lists.json"


def rows() -> Iterator[Any]:
    for case in json.loads(CASES.read_text(encoding="utf-8")):
        for outcome in ("passed", "failed"):
            for calls in case[outcome]:
                yield pytest.param(case["check"], calls, outcome)


def judged(check: Any, folder: Path, calls: str, **values: Any) -> Verdict:
    judge = judge_of(check, folder, prompt_parameters=[*values])
    return judge.judge(CheckContext((run_of_calls(calls),), values, args=values))


@pytest.mark.parametrize(("check", "calls", "outcome"), list(rows()))
def test_labelled_calls(check: Any, calls: str, outcome: str, tmp_path: Path) -> None:
    verdict = judged(check, tmp_path, calls)
    assert verdict.outcome == outcome, verdict.reason


@pytest.mark.parametrize(
    ("calls", "score"),
    [
        ("a({})\nb({})", 1.0),
        ("a({})", 2 / 3),
        ("a({})\nx({})\nx({})\nx({})", 1 / 3),
        ("x({})", 0.0),
    ],
)
def test_f1_is_the_score(calls: str, score: float, tmp_path: Path) -> None:
    check = {"calls_f1": [{"name": "a"}, {"name": "b"}], "threshold": 0.1}
    verdict = judged(check, tmp_path, calls)
    assert verdict.score == pytest.approx(score)
    assert verdict.reason.startswith(f"F1 {score:.3g} (threshold 0.1): called ")


def test_wanted_calls_are_filled_with_parameters(tmp_path: Path) -> None:
    check = {"calls_f1": [{"name": "a", "args": {"n": "{n}", "to": "{to} {{x}}"}}]}
    assert judged(check, tmp_path, 'a({"n": 3, "to": "Bob {x}"})', n=3, to="Bob").passed
    order = {"called_in_order": ["{first}", "b"]}
    assert judged(order, tmp_path, "a({})\nb({})", first="a").passed
    assert not judged(order, tmp_path, "a({})\nb({})", first="c").passed


def test_missing_measurements_are_reported(tmp_path: Path) -> None:
    reason = judged({"called_in_order": ["a", "b"]}, tmp_path, "b({})\na({})").reason
    assert reason == "no b where it should come: called b({}), a({})"
    assert judged({"max_turns": 1}, tmp_path, "a({})\n\nb({})").reason == (
        "2 turns, wanted at most 1"
    )


@pytest.mark.parametrize(
    ("check", "least"),
    [({"max_calls": -1}, 0), ({"min_calls": 0}, 1), ({"max_turns": 0}, 1)],
)
def test_a_number_that_decides_nothing_is_refused(check: Any, least: int, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=f"is at least {least}, not"):
        judged(check, tmp_path, "a({})")


def test_one_is_not_written_as_several(tmp_path: Path) -> None:
    assert judged({"max_calls": 1}, tmp_path, "a({})").reason.startswith("1 call, wanted at most 1")
