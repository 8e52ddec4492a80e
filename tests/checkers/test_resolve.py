"""Checkers by their names: verdicts, and problems with their arguments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, spec_with

from lve.checkers.resolve import resolve
from lve.checkers.static import check_statically
from lve.errors import SpecError

CASES = Path(__file__).parents[1] / "cases" / "checkers"
VERDICTS = json.loads((CASES / "verdicts.json").read_text(encoding="utf-8"))
PROBLEMS = json.loads((CASES / "problems.json").read_text(encoding="utf-8"))


def _name(case: dict[str, Any]) -> str:
    return json.dumps(case["checker"])[18:90]


@pytest.mark.parametrize("case", VERDICTS, ids=_name)
def test_verdict_and_reason(case: dict[str, Any], tmp_path: Path) -> None:
    args = case.get("args", {})
    spec = spec_with(
        tmp_path / "t",
        parameters=case.get("parameters", sorted(args)),
        checker_args=case["checker"],
    )
    assert check_statically(spec) == []
    verdict = judge_answers(
        resolve(spec),
        *case["responses"],
        args=args,
        reference=case.get("reference"),
    )
    assert verdict.outcome == case["outcome"], verdict.reason
    assert case.get("reason", "") in verdict.reason
    assert verdict.reason
    if "score" in case:
        assert verdict.score == pytest.approx(case["score"])


@pytest.mark.parametrize("case", PROBLEMS, ids=_name)
def test_problem_with_its_place(case: dict[str, Any], tmp_path: Path) -> None:
    spec = spec_with(
        tmp_path / "t", parameters=case.get("parameters", []), checker_args=case["checker"]
    )
    found = check_statically(spec)
    assert len(found) == len(case["problems"])
    for problem, expected in zip(found, case["problems"], strict=True):
        assert expected in str(problem)
        assert problem.line is not None
        assert problem.column is not None
    with pytest.raises(SpecError) as caught:
        resolve(spec)
    assert list(caught.value.problems) == found
