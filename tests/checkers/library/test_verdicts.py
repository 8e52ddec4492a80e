"""Answers as models write them, with a careful reader's verdicts (tests/cases/verdicts)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, judge_of

CASES = Path(__file__).parents[2] / "cases" / "verdicts"


def groups() -> Iterator[Any]:
    for file in sorted(CASES.glob("*.json")):
        for number, group in enumerate(json.loads(file.read_text(encoding="utf-8"))):
            yield pytest.param(group, id=f"{file.stem}-{number}")


@pytest.mark.parametrize("group", list(groups()))
def test_answers_are_judged_as_a_careful_reader_does(group: dict[str, Any], tmp_path: Path) -> None:
    judge = judge_of(group["check"], tmp_path)
    wrong = [
        (answer, found.reason)
        for outcome in ("passed", "failed")
        for answer in group.get(outcome, ())
        if (found := judge_answers(judge, answer)).outcome != outcome
    ]
    assert wrong == []


CUT = "<think>\nIt could be B, or yes, or Paris, or 42, so"


@pytest.mark.parametrize(
    "check",
    [
        {"number": 42},
        {"in_range": [1, 50]},
        {"option": "B"},
        {"choice": "yes", "of": ["yes", "no"]},
        {"text": "Paris"},
        {"math": "42"},
    ],
)
def test_an_answer_that_was_cut_off_while_reasoning_is_said_to_be_so(
    check: dict[str, Any], tmp_path: Path
) -> None:
    judge = judge_of(check, tmp_path)
    verdict = judge_answers(judge, CUT)
    assert verdict.outcome == "failed"
    assert verdict.reason.endswith("(its reasoning was cut off before an answer)")
    assert "cut off" not in judge_answers(judge, "I have no idea.").reason
