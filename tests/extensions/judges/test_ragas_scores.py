"""The checks of retrieval score as ragas 0.4 does for the same replies of a judge."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.judges import Panel, Said, ask
from support.judging import judge_of

from lve.checkers.questions import Question

CASES = Path(__file__).parents[2] / "cases" / "rag_scores" / "ragas.jsonl"
VECTORS = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def check_of(vector: Mapping[str, Any]) -> dict[str, Any]:
    """Return the check that stands for a metric of ragas."""
    given, name = vector["input"], vector["metric"]
    if name == "answer_correctness":
        main: dict[str, Any] = {name: given["reference"]}
    else:
        main = {name: given["retrieved_contexts"]}
        if "reference" in given:
            main["reference"] = given["reference"]
    return {**main, "question": given["user_input"], **vector["options"]}


def judge(vector: Mapping[str, Any]) -> Panel:
    replies = iter(vector["replies"])

    def say(question: Question) -> Said:
        said: Said = next(replies) if question.text is None else vector["vectors"][question.text]
        return said

    return Panel(say)


def test_all_metrics_have_many_vectors() -> None:
    counts = Counter(vector["metric"] for vector in VECTORS)
    assert len(counts) == 5
    assert min(counts.values()) >= 10


@pytest.mark.parametrize("number", range(len(VECTORS)))
def test_the_score_is_that_of_ragas(number: int, tmp_path: Path) -> None:
    vector = VECTORS[number]
    panel = judge(vector)
    response = vector["input"].get("response", "About an hour.")
    verdict = ask(judge_of(check_of(vector), tmp_path), panel, response)
    assert verdict.outcome in {"passed", "failed"}, verdict.reason
    assert verdict.score == pytest.approx(vector["score"], abs=1e-9)
    judged = [question for question in panel.asked if question.role == "judge"]
    assert len(judged) == len(vector["replies"])
