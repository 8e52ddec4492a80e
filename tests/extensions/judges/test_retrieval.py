"""How good the contexts are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.judges import Panel, ask, broken, text_of
from support.judging import judge_of

from lve.errors import SpecError
from lve.extensions.judges.retrieval import average_precision

PRECISION = {"context_precision": ["one", "two", "three"], "reference": "R", "question": "Q?"}
RECALL = {"context_recall": ["one", "two"], "reference": "R", "question": "Q?"}
RELEVANCE = {"context_relevance": ["one", "two"], "question": "Q?"}


def useful(verdict: Any) -> dict[str, Any]:
    return {"reason": "r", "verdict": verdict}


def parts(*attributed: int) -> dict[str, Any]:
    items = [
        {"statement": f"S{n}", "reason": "r", "attributed": a} for n, a in enumerate(attributed)
    ]
    return {"classifications": items}


@pytest.mark.parametrize(
    ("check", "says", "expected", "reason"),
    [
        (PRECISION, [useful(1), useful(1), useful(0)], "passed", "useful are 1, 2 of 3 contexts"),
        (PRECISION, [useful(0), useful(0), useful(1)], "failed", "precision 0.333 (threshold 0.7)"),
        (PRECISION, [useful(0)], "failed", "useful are none of 3"),
        (PRECISION, [useful("yes"), useful(True), useful("0")], "passed", "useful are 1, 2"),
        ({**PRECISION, "threshold": 0.3}, [useful(0), useful(0), useful(1)], "passed", "0.333"),
        (PRECISION, [useful(1), broken()], "error", "can't answer"),
        (RECALL, [parts(1, 1, 1, 1, 0)], "passed", "4 of 5 statements"),
        (RECALL, [parts(1, 0)], "failed", "not 'S1'"),
        (RECALL, [parts()], "error", "no statement"),
        ({**RECALL, "threshold": 0.5}, [parts(1, 0)], "passed", "1 of 2"),
        (RELEVANCE, [{"rating": 1}, {"rating": 1}], "passed", "relevance 0.50"),
        (RELEVANCE, [{"rating": 1}, {"rating": 0}], "failed", "rated 1 and 0 of 2"),
        (RELEVANCE, [{"rating": 2}, broken()], "passed", "rated 2 of 2"),
        (RELEVANCE, [broken(), broken()], "error", "can't answer"),
        (RELEVANCE, [{"rating": 3}], "error", "no verdict"),
    ],
)
def test_verdict(check: Any, says: list[Any], expected: str, reason: str, tmp_path: Path) -> None:
    verdict = ask(judge_of(check, tmp_path), Panel(says), "Hello!")
    assert (verdict.outcome, reason in verdict.reason) == (expected, True), verdict.reason


def test_what_the_judge_sees(tmp_path: Path) -> None:
    panel = Panel([useful(1)])
    ask(judge_of(PRECISION, tmp_path), panel, "Hello!")
    assert len(panel.asked) == 3
    assert all("\nR\n" in text_of(question) for question in panel.asked)
    panel = Panel([useful(1)])
    ask(judge_of({**PRECISION, "by": "answer"}, tmp_path), panel, "Hello!")
    assert all("\nHello!\n" in text_of(question) for question in panel.asked)
    panel = Panel([parts(1)])
    ask(judge_of(RECALL, tmp_path), panel, "Hello!")
    assert "\none\ntwo\n" in text_of(panel.asked[0])
    panel = Panel([{"rating": 2}])
    ask(judge_of(RELEVANCE, tmp_path), panel, "Hello!")
    first, second = map(text_of, panel.asked)
    assert first != second, "two wordings"


def test_contexts_that_the_prompt_has_are_no_question(tmp_path: Path) -> None:
    panel = Panel([{"rating": 2}])
    verdict = ask(judge_of({"context_relevance": "Say it."}, tmp_path), panel, "x")
    assert verdict.outcome == "error"
    assert "give the question alone" in verdict.reason
    check = {"context_relevance": "Say it.", "question": "Say it. When?"}
    verdict = ask(judge_of(check, tmp_path), panel, "x")
    assert (verdict.outcome, verdict.score, panel.asked) == ("failed", 0.0, [])


@pytest.mark.parametrize("check", [PRECISION, RECALL, RELEVANCE])
def test_a_threshold_that_everything_reaches_is_refused(check: Any, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="threshold"):
        judge_of({**check, "threshold": 0}, tmp_path)


@pytest.mark.parametrize(
    ("verdicts", "precision"),
    [([1], 1), ([0], 0), ([1, 0, 1], 5 / 6), ([0, 1], 0.5), ([0, 1, 1], 7 / 12)],
)
def test_average_precision(verdicts: list[int], precision: float) -> None:
    assert average_precision(verdicts) == pytest.approx(precision)
