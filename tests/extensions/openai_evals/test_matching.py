"""Answers are compared as the classes of OpenAI's `evals` compare them (tests/cases/openai_evals:
what its own code said of these texts)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, judge_of

from lve.checkers.arguments import ArgumentError
from lve.extensions.openai_evals.matching import EvalsMatch

VECTORS = json.loads(
    (Path(__file__).parents[2] / "cases" / "openai_evals" / "vectors.json").read_text("utf-8")
)


def texts(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def test_the_verdicts_are_those_of_the_package() -> None:
    differing = [
        (compare, ignore_case, answer, ideal, expected)
        for compare, ignore_case, answer, ideal, expected in VECTORS["matching"]
        if EvalsMatch(texts(ideal), compare, ignore_case)._matches_any(answer) is not expected
    ]
    assert len(VECTORS["matching"]) > 1000
    assert differing == []


def test_a_column_may_have_several_ideals(tmp_path: Path) -> None:
    rows = [{"ideal": ["La Paz", "Sucre"]}]
    judge = judge_of({"evals_match": "{ideal}", "compare": "includes"}, tmp_path, dataset=rows)
    for answer, expected in (("It is Sucre.", "passed"), ("Lima", "failed")):
        verdict = judge_answers(judge, answer, args=rows[0])
        assert verdict.outcome == expected, verdict.reason


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((),), "no answer could match"),
        (("x", "match", True), "goes with `compare: includes`"),
        (("{", "json_match"), "isn't JSON"),
    ],
)
def test_what_could_never_match_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        EvalsMatch(*arguments)


@pytest.mark.parametrize("answer", ["[" * 100_000, "1" * 2_000_000, '{"a":' * 50_000])
def test_hostile_json_matches_nothing(answer: str) -> None:
    assert not EvalsMatch("1", "json_match")._matches_any(answer)
