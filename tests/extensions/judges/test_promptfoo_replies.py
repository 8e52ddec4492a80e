"""Replies of judges are read as promptfoo reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lve.checkers.contract import Verdict
from lve.errors import CheckerError
from lve.extensions.judges.promptfoo_replies import CHOICES, chosen, graded, nunjucks_text, yes

VECTORS = json.loads(
    (Path(__file__).parents[2] / "cases" / "promptfoo_judge" / "vectors.json").read_text("utf-8")
)


def _verdict(kind: str, reply: str, threshold: float | None, scores: dict[str, float]) -> Verdict:
    if kind == "factuality":
        return chosen(reply, {**CHOICES, **scores})
    if kind == "llm-rubric":
        return graded(reply, threshold=threshold, inverse=False)
    return yes(reply)


def test_replies_are_read_as_promptfoo_reads_them() -> None:
    differing = []
    for kind, reply, threshold, scores, passes, score in VECTORS["replies"]:
        verdict = _verdict(kind, reply, threshold, scores)
        if (verdict.passed, verdict.score) != (passes, score):
            differing.append((kind, reply, threshold, scores, verdict))
    assert len(VECTORS["replies"]) > 300
    assert differing == []


def test_an_answer_is_shown_as_promptfoo_shows_it() -> None:
    assert len(VECTORS["answers"]) > 35
    for answer, text in VECTORS["answers"]:
        assert nunjucks_text(answer) == text


@pytest.mark.parametrize(
    ("reply", "passed", "score"),
    [('{"pass": true, "score": 0.8}', False, 0.2), ('{"pass": false}', True, 1.0), ("?", False, 0)],
)
def test_a_reply_without_a_verdict_fails_an_inverse_check_too(
    reply: str, passed: bool, score: float
) -> None:
    verdict = graded(reply, threshold=None, inverse=True)
    assert (verdict.passed, verdict.score) == (passed, pytest.approx(score))


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("{" * 1000 + "x", "too many braces"),
        ("x" * 100_001, "more than 100,000 characters"),
        ("{pass: [yes]}", "`pass` is a list"),
        ("{score: [1]}", "`score` is a list"),
        ("{pass: true, reason: a // b}", "has //"),
    ],
)
def test_what_promptfoo_may_read_differently_is_an_error(reply: str, why: str) -> None:
    with pytest.raises(CheckerError, match=why):
        graded(reply, threshold=None, inverse=False)
