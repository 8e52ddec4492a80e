"""Answers and choices compared with the output column of a data set."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lve.checkers.base import CheckContext
from lve.checkers.builtin.answer import AnswerChecker, ChoiceChecker
from lve.checkers.extract.extractors import ExtractingChecker, make_extractor
from lve.errors import CheckerError
from lve.messages import Completion, Message, Role, Transcript

CASES = Path(__file__).parents[2] / "cases/checkers"
EM_UPSTREAM = json.loads((CASES / "em_upstream.json").read_text(encoding="utf-8"))
"""Answers of our own, and whether OpenCompass' EMEvaluator calls them right."""


def answered(text: str, reference: Any) -> CheckContext:
    messages = (Message("?"), Message(text, Role.assistant))
    return CheckContext((Transcript(messages, (Completion(text),), filled=(1,)),), {}, reference)


def scored(reference: Any, **logprobs: list[float | None]) -> CheckContext:
    """Return runs that score `Q: <label>`; the tokens are `Q:` and the label's characters."""
    runs = []
    for label, values in logprobs.items():
        texts = ["Q: ", *label][: len(values)]
        starts = [0, *range(3, 3 + len(label))]
        tokens = [list(t) for t in zip(texts, values, starts, strict=False)]
        messages = (Message(f"Q: {label}"), Message("", Role.assistant))
        runs.append(Transcript(messages, (Completion("", logprobs=tokens),), label, (1,)))
    return CheckContext(tuple(runs), {}, reference)


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


@pytest.mark.parametrize(
    ("by", "chosen"),
    # b's prompt is likelier per token, a's label is likelier as a whole, c's begins best.
    [("perplexity", "bb"), ("likelihood", "a"), ("first_token", "cc")],
)
def test_the_best_label_is_chosen(by: Any, chosen: str) -> None:
    context = scored(chosen, a=[None, -1.0], bb=[None, -0.6, -0.6], cc=[None, -0.1, -3.0])
    verdict = ChoiceChecker(by=by).check(context)
    assert verdict.passed, verdict.reason
    assert f"chose {chosen!r} ({by}: a " in verdict.reason


def test_what_follows_all_labels_is_rated_alone() -> None:
    """The label's own tokens don't count, only those of the column `cont` after them."""
    context = scored("bz", az=[None, -0.1, -3.0], bz=[None, -9.0, -1.0])
    context = replace(context, parameters={"cont": "z"})
    verdict = ChoiceChecker(by="continuation").check(context)
    assert verdict.reason == "chose 'bz' (continuation: az -3, bz -1)"


def test_the_first_token_is_that_after_the_prompt_not_after_what_the_choices_share() -> None:
    context = scored("no", no=[None, -0.5, -9.0], nix=[None, -0.7, -0.1, -0.1])
    assert ChoiceChecker(by="first_token").check(context).passed


def test_of_equal_labels_the_first_is_chosen() -> None:
    verdict = ChoiceChecker().check(scored("b", a=[None, -1.0], b=[None, -1.0]))
    assert verdict.reason.startswith("chose 'a', expected 'b'")


@pytest.mark.parametrize(
    ("text", "passed"), [("B", True), ("I think (B), not A", True), ("AB", False), ("A", False)]
)
def test_a_label_is_found_in_words(text: str, passed: bool) -> None:
    assert ChoiceChecker(labels=("A", "B")).check(answered(text, "B")).passed is passed


def test_a_number_is_a_label_too() -> None:
    checker = ChoiceChecker()
    assert checker.work(answered("3", 3)) > 0
    assert checker.check(answered("3", 3)).passed
