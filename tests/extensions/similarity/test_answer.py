"""Answers and choices compared with the output column of a data set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lve.checkers.base import CheckContext
from lve.checkers.extract.extractors import ExtractingChecker, make_extractor
from lve.errors import CheckerError
from lve.extensions.similarity.answer import AnswerChecker
from lve.messages import Completion, Message, Role, Transcript

CASES = Path(__file__).parents[2] / "cases/checkers"
EM_UPSTREAM = json.loads((CASES / "em_upstream.json").read_text(encoding="utf-8"))
"""Answers of our own, and whether OpenCompass' EMEvaluator calls them right."""


def answered(text: str, reference: Any) -> CheckContext:
    messages = (Message("?"), Message(text, Role.assistant))
    return CheckContext((Transcript(messages, (Completion(text),), filled=(1,)),), {}, reference)


@pytest.mark.parametrize(
    ("metric", "text", "reference", "score"),
    [
        ("accuracy", " 4\n", "4", 1),
        ("accuracy", "4.", "4", 0),
        ("accuracy", "4", 4, 1),
        ("accuracy", "two", ["2", "two"], 1),
        ("exact_match", "The Cat!", "cat", 1),
        ("exact_match", "-5", "5", 0),
        ("exact_match", "\u22125", "-5", 1),
        ("exact_match", "-$5", "$5", 0),
        ("exact_match", "3.5", "35", 0),
        ("exact_match", "1/2", "12", 0),
        ("exact_match", "1,234.", "1234", 1),
        ("exact_match", "\u00abParis\u00bb", "Paris", 1),
        ("exact_match", "", "A", 0),
        ("exact_match", "A.", "a", 1),
        ("f1", "北京是首都", "北京", 4 / 7),
        ("f1", "-5", "5", 0),
        ("f1", "a big cat", "the cat", 2 / 3),
        ("f1", "", "cat", 0),
    ],
)
def test_an_answer_is_scored(metric: Any, text: str, reference: Any, score: float) -> None:
    verdict = AnswerChecker(metric=metric).check(answered(text, reference))
    assert verdict.score == pytest.approx(score)
    assert verdict.passed is (score > 0.5)


@pytest.mark.parametrize("case", EM_UPSTREAM, ids=lambda case: repr(case["response"]))
def test_em_is_what_upstream_calls_so(case: dict[str, Any]) -> None:
    verdict = AnswerChecker(metric="em").check(answered(case["response"], case["references"]))
    assert verdict.passed is case["right"]


@pytest.mark.parametrize("metric", ["rouge1", "rouge2", "rougeL"])
@pytest.mark.parametrize(
    "text", ["北京是中国的首都", "Это простой текст", "هذا نص بسيط", "हिन्दी में लिखा", "ภาษาไทย"]
)
def test_rouge_of_the_same_text_is_1_in_every_script(metric: Any, text: str) -> None:
    assert AnswerChecker(metric=metric).check(answered(text, text)).score == pytest.approx(1)


@pytest.mark.parametrize(
    ("threshold", "text", "passed"),
    [
        (None, "blue sky", True),
        (None, "blue", True),  # two thirds
        (None, "blue and very far away", False),
        (0.66, "blue", True),
        (0.67, "blue", False),
        (0, "nothing", True),
        (0.01, "nothing", False),
        (1, "sky, blue", True),
        (1, "blue", False),
    ],
)
def test_a_similar_answer_passes_from_the_threshold_on(
    threshold: float | None, text: str, passed: bool
) -> None:
    checker = AnswerChecker(metric="f1", threshold=threshold)
    assert checker.check(answered(text, "blue sky")).passed is passed


def test_a_wrong_answer_says_what_was_expected() -> None:
    verdict = AnswerChecker().check(answered("5", "4"))
    assert verdict.reason == "expected '4', found '5'"


@pytest.mark.parametrize("reference", [None, [], [None]])
def test_a_row_without_an_answer_can_not_be_judged(reference: Any) -> None:
    with pytest.raises(CheckerError, match="output_column"):
        AnswerChecker().check(answered("5", reference))


def test_null_is_no_right_answer() -> None:
    assert not AnswerChecker().check(answered("None", ["A", None])).passed


@pytest.mark.parametrize(
    ("text", "reference", "passes"),
    [
        ("so it is 4.", "4", True),
        ("1234", "1,234", True),
        ("3.5", "3.50", True),
        ("1,234", 1234.0, True),
        ("4", ["5", "4.0"], True),
        ("9007199254740993", "9007199254740992", False),
        ("4", "4 apples", False),
    ],
)
def test_an_extracted_number_is_compared_as_one(text: str, reference: Any, passes: bool) -> None:
    checker = ExtractingChecker(AnswerChecker(), make_extractor("last-number"), finds_number=True)
    assert checker.check(answered(text, reference)).passed is passes
