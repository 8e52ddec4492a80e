"""Similarity of meaning by embeddings."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from support.judges import Answer, Panel, ask
from support.judging import judge_of

from lve.errors import CheckerError, SpecError
from lve.extensions.judges.similar import cosine


@pytest.mark.parametrize(
    ("vectors", "more", "expected", "score"),
    [
        ([[1, 0], [1, 0]], {}, "passed", 1.0),
        ([[1, 0], [2, 0]], {}, "passed", 1.0),
        ([[1, 0], [0, 1]], {}, "failed", 0.0),
        ([[1, 0], [-1, 0]], {}, "failed", 0.0),
        ([[1, 0], [1, 1]], {"threshold": 0.7}, "passed", 0.707107),
        ([[1, 0], [0, 1], [1, 0]], {"similar": ["a", "b"]}, "passed", 1.0),
        ([[1, 0], [1, 0, 0]], {}, "error", None),
        ([[1, 0], [0, 0]], {}, "error", None),
        ([[1, 0], [math.nan, 0]], {}, "error", None),
        ([[1, 0], []], {}, "error", None),
        ([[1, 0], Answer("", "embedding", "e", problem="gone")], {}, "error", None),
    ],
)
def test_verdict(
    vectors: list[Any], more: dict[str, Any], expected: str, score: float | None, tmp_path: Path
) -> None:
    panel = Panel(vectors)
    verdict = ask(judge_of({"similar": "x", **more}, tmp_path), panel, "Hello!")
    assert (verdict.outcome, verdict.score) == (expected, score), verdict.reason
    assert {question.role for question in panel.asked} == {"embedding"}


def test_the_reason_names_the_nearest_text(tmp_path: Path) -> None:
    panel = Panel([[1, 0], [0, 1], [1, 0]])
    verdict = ask(judge_of({"similar": ["far", "near"]}, tmp_path), panel, "Hello!")
    assert verdict.reason == "similarity 1.000 (threshold 0.8) to 'near'"


def test_huge_numbers_have_no_direction() -> None:
    with pytest.raises(CheckerError, match="without a direction"):
        cosine([1e308, 1e308], [1e308, 1e308])


def test_a_long_answer_is_an_error(tmp_path: Path) -> None:
    verdict = ask(judge_of({"similar": "x"}, tmp_path), Panel([[1]]), "x" * 100_001)
    assert (verdict.outcome, "more than 100,000" in verdict.reason) == ("error", True)


@pytest.mark.parametrize(
    ("check", "problem"),
    [({"similar": []}, "nothing to compare with"), ({"similar": "x", "threshold": 2}, "at most 1")],
)
def test_wrong_arguments(check: Any, problem: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError) as error:
        judge_of(check, tmp_path)
    assert problem in str(error.value)
