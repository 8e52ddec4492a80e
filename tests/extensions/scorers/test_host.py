"""What is read in a scorer's result, in the words of upstream's evaluators."""

from __future__ import annotations

from typing import Any

import pytest

from lve.extensions.scorers.host import answer


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"accuracy": 50.0}, {"scores": {"accuracy": 50.0}, "passed": None}),
        ({"n": 2, "x": [1], "y": {"z": 1}}, {"scores": {"n": 2.0}}),
        (
            {"t": "7", "nan": float("nan"), "o": 10**400},
            {"scores": {"t": None, "nan": None, "o": None}},
        ),
        ({"s": 1, "details": [{"correct": [True]}]}, {"passed": True}),
        ({"s": 1, "details": [{"is_correct": 0}]}, {"passed": False}),
        ({"s": 1, "details": {"0": {"cascade_correct": True}, "type": "GEN"}}, {"passed": True}),
        ({"s": 1, "details": [{"correct": [True, False]}]}, {"passed": None}),
        ({"s": 1, "details": [{"correct": True}, {"correct": True}]}, {"passed": None}),
        ({"s": 1, "details": ["correct"]}, {"passed": None}),
        ({"s": 1, "details": []}, {"passed": None}),
        ({"error": "they differ"}, {"error": "they differ"}),
    ],
)
def test_numbers_are_scores_and_details_the_verdict(
    result: dict[str, Any], said: dict[str, object]
) -> None:
    actual = answer(result)
    assert {name: actual[name] for name in said} == said


def test_only_so_many_scores_are_kept() -> None:
    scores = answer({str(n): n for n in range(500)})["scores"]
    assert isinstance(scores, dict)
    assert len(scores) == 100
