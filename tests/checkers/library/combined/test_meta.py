"""Checks that combine others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, judge_of

from lve.checkers.arguments import ArgumentError
from lve.checkers.binding.bind import bind
from lve.checkers.library.combined.meta import Weighted
from lve.checkers.library.texts.text import Contains
from lve.errors import SpecError

CRASHES = {"LambdaChecker": {"func": "lambda r: int(r) == 1"}}


@pytest.mark.parametrize(
    ("check", "outcome"),
    [
        ({"all": [CRASHES, {"contains": "x"}]}, "error"),
        ({"all": [CRASHES, {"contains": "y"}]}, "failed"),
        ({"any": [CRASHES, {"contains": "x"}]}, "passed"),
        ({"any": [CRASHES, {"contains": "y"}]}, "error"),
        ({"not": CRASHES}, "error"),
        ({"weighted": [CRASHES, {"contains": "x"}]}, "error"),
        ({"not": {"not": {"all": [{"any": [{"contains": "x"}]}]}}}, "passed"),
    ],
)
def test_a_check_that_cannot_tell(check: dict[str, Any], outcome: str, tmp_path: Path) -> None:
    assert judge_answers(judge_of(check, tmp_path), "x").outcome == outcome


def test_inner_arguments_are_filled(tmp_path: Path) -> None:
    check = {"all": [{"contains": "{city}"}, {"not": {"contains_any": ["{land}", "Rome"]}}]}
    judge = judge_of(check, tmp_path, prompt_parameters=["city", "land"])
    args = {"city": "Bern", "land": "Italy"}
    assert judge_answers(judge, "Bern", args=args).passed
    assert not judge_answers(judge, "Bern in Italy", args=args).passed
    assert judge.checkers[0].needs.names == {"city", "land"}


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ({"any": [{"contain": "x"}]}, "$.check.any[0]: there is no checker 'contain' (did you"),
        ({"not": {"contains": 3}}, "$.check.not.contains: 'contains' is a text, not 3"),
        ({"all": []}, "'all' is empty"),
        ({"weighted": [{"contains": "x", "weight": 0}]}, "$.check.weighted[0].weight: 'weight'"),
        ({"all": [{"contains": "{nope}"}]}, "{nope} names no parameter"),
        ({"all": [{"contains": "x", "equals": "y"}]}, "names several checkers"),
        ({"not": {"ToxicityChecker": {"threshold": 0.5}}}, "'ToxicityChecker' loads a model"),
        ({"all": "x"}, "'all' is a list"),
        (
            {"contain": 3},
            "$.check.contain: there is no checker 'contain' (did you mean `contains`?)",
        ),
        ({"contain": "x", "equalz": "x"}, "names no checker (did you mean `contains`?)"),
        ({"contains_any": ["x", ""]}, "is empty: every answer contains it"),
    ],
)
def test_mistakes_are_explained(check: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        judge_of(check, tmp_path)
    assert message in str(caught.value)


def test_a_weight_is_finite(tmp_path: Path) -> None:
    check = bind(Contains, {"contains": "x"}, tmp_path)
    with pytest.raises(ArgumentError, match="'weight' is a number above 0, not inf"):
        Weighted.inner_check(check, {"weight": float("inf")})


@pytest.mark.parametrize(
    ("by", "outcome", "score"), [("verdict", "failed", 0.25), ("score", "passed", 0.625)]
)
def test_a_share_is_of_the_verdict_or_of_the_score(
    by: str, outcome: str, score: float, tmp_path: Path
) -> None:
    parts = [{"contains_all": ["a", "b"], "weight": 3}, {"contains": "a"}]
    check = {"weighted": parts, "threshold": 0.6, "by": by}
    verdict = judge_answers(judge_of(check, tmp_path), "a")
    assert (verdict.outcome, verdict.score) == (outcome, score)


def test_reasons_of_many_parts_stay_short(tmp_path: Path) -> None:
    reason = judge_answers(judge_of({"any": [{"contains": "x"}] * 9}, tmp_path), "no").reason
    assert reason.count("'x' doesn't occur") == 5
    assert reason.endswith("and 4 more")
    tree: dict[str, Any] = {"contains": "x"}
    for _ in range(9):
        tree = {"all": [tree, tree]}
    assert len(judge_answers(judge_of(tree, tmp_path), "no").reason) <= 1000


def test_expensive_parts_are_judged_in_the_other_process(tmp_path: Path) -> None:
    slow = {"RegexChecker": {"pattern": "(a|b|ab)*c(a|b|ab)*d", "match_safe": False}}
    judge = judge_of({"all": [slow, {"contains": "ab"}]}, tmp_path)
    try:
        assert judge_answers(judge, "ab" * 200_000).outcome in ("passed", "error")
    finally:
        judge.stop()
