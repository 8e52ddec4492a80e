"""Checks of what the server measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.checks import judge_of

from lve.checkers.contract import CheckContext
from lve.checkers.static import check_statically
from lve.errors import SpecError
from lve.messages import Completion, Message, Role, Transcript, Usage
from lve.spec.load import load_spec

MEASURED = Completion("x", "length", Usage(10, 50), 1.5, 0.2)
BARE = Completion("x")


@pytest.mark.parametrize(
    ("check", "completion", "outcome"),
    [
        ({"max_latency": "2 s"}, MEASURED, "passed"),
        ({"max_latency": "1500ms"}, MEASURED, "passed"),
        ({"max_latency": 1.4}, MEASURED, "failed"),
        ({"max_first_token": "200 ms"}, MEASURED, "passed"),
        ({"max_first_token": 0.1}, MEASURED, "failed"),
        ({"max_first_token": 0.1}, BARE, "error"),
        ({"max_output_tokens": 50}, MEASURED, "passed"),
        ({"max_output_tokens": 49}, MEASURED, "failed"),
        ({"max_output_tokens": 49}, BARE, "error"),
        ({"finish_reason": ["stop", "length"]}, MEASURED, "passed"),
        ({"finish_reason": "stop"}, MEASURED, "failed"),
        ({"finish_reason": "stop"}, BARE, "error"),
        ({"max_latency": 1}, None, "error"),
    ],
)
def test_verdicts(
    check: dict[str, Any], completion: Completion | None, outcome: str, tmp_path: Path
) -> None:
    said = (Message("x", Role.assistant, "response"),)
    run = Transcript(said, (completion,) if completion else (), filled=(0,))
    assert judge_of(check, tmp_path).judge(CheckContext((run,))).outcome == outcome


@pytest.mark.parametrize("time", ["soon", "2 parsecs", "-1", ""])
def test_what_is_no_time_is_told(time: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="is a time such as 2 s"):
        judge_of({"max_latency": time}, tmp_path)


def test_examples_prove_the_checks_of_texts_beside_it(tmp_path: Path) -> None:
    examples = [
        {"response": "Paris", "verdict": "passed"},
        {"response": "Rome", "verdict": "passed"},
    ]
    checks = [{"contains": "Paris"}, {"max_latency": 1}]
    judge_of(checks, tmp_path, examples=examples)
    (problem,) = check_statically(load_spec(tmp_path, tmp_path))
    assert problem.path == "$.examples[1]"
    judge_of([{"max_latency": 1}], tmp_path, examples=examples)
    assert check_statically(load_spec(tmp_path, tmp_path)) == []
