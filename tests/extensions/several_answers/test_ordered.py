"""Checks of the order of the numbers in several answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.dialogues import groups, judge_of_group, prompts, said, wrong_verdicts
from support.judging import judge_of

from lve.errors import SpecError


@pytest.mark.parametrize("group", list(groups("ordered")))
def test_answers_are_compared_as_a_careful_reader_does(
    group: dict[str, Any], tmp_path: Path
) -> None:
    assert wrong_verdicts(group, tmp_path) == []


@pytest.mark.parametrize(
    ("check", "answers", "reason"),
    [
        (
            {"monotone": "rising"},
            ("2", "1"),
            "2 (answer 'first'), then 1 (answer 'second'): answers",
        ),
        ({"monotone": "falling", "strict": True}, ("1", "1"), "answers should strictly fall"),
        ({"monotone": "rising"}, ("1", "x"), "answer 'second' settles on no number: 'x'"),
        ({"monotone": "rising"}, ("1", "2"), "2 answers are in order"),
        ({"monotone": "rising", "by": [1]}, ("1", "2"), "'by' has 1 number for 2 answers"),
        (
            {"pairwise_order": ["first", "second"]},
            ("2", "1"),
            "0 of 1 pair are in order: not 2 (answer 'first') and 1 (answer 'second')",
        ),
        (
            {"pairwise_order": ["first", "second"]},
            ("x", "1"),
            "0 of 1 pair are in order: answer 'first' settles on no number: 'x'",
        ),
        ({"pairwise_order": ["second", "first"]}, ("2", "1"), "1 of 1 pair is in order"),
        ({"pairwise_order": ["first", "second"]}, ("1e400", "1"), "not a huge number (answer"),
    ],
)
def test_reasons_say_what_is_out_of_order(
    check: Any, answers: tuple[str, str], reason: str, tmp_path: Path
) -> None:
    judge = judge_of_group({"check": check}, tmp_path)
    assert reason in said({}, judge, dict(zip(("first", "second"), answers, strict=True))).reason


def test_the_score_is_the_share_of_the_pairs(tmp_path: Path) -> None:
    group = {"check": {"pairwise_order": ["a", "b", "c"]}, "turns": ["a", "b", "c"]}
    judge = judge_of_group(group, tmp_path)
    assert said(group, judge, {"a": "2", "b": "1", "c": "3"}).score == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ({"monotone": "up"}, "'monotone' is one of 'rising', 'falling', not 'up'"),
        ({"monotone": "rising", "by": ["soon", "late"]}, "'by' has numbers, not 'soon'"),
        ({"monotone": "rising", "by": ["{soon}"]}, "{soon} names no parameter of the test"),
        (
            {"monotone": "rising", "on": "first"},
            "'monotone' compares answers, and there is only one",
        ),
        ({"pairwise_order": ["first"]}, "'pairwise_order' has 2 to 100 different names"),
        ({"pairwise_order": ["first", "first"]}, "'pairwise_order' has 2 to 100 different names"),
        ({"pairwise_order": ["first", "x"], "threshold": 0}, "'threshold' is more than 0"),
        (
            {"pairwise_order": ["first", "secnd"]},
            "'secnd' is no variable of an answer, and no name of a run (did you mean `second`?)",
        ),
    ],
)
def test_mistakes_are_explained(check: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        judge_of(check, tmp_path, **prompts({}))
    problems = [str(problem) for problem in caught.value.problems]
    assert any(message in problem for problem in problems), problems
