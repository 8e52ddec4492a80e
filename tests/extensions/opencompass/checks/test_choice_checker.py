"""The label that a model rates highest, compared with the output column of a data set."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lve.checkers.base import CheckContext
from lve.extensions.opencompass.checks.row_choice_check import ChoiceChecker
from lve.messages import Completion, Message, Role, Transcript

CASES = Path(__file__).parents[3] / "cases"
PERPLEXITIES = json.loads((CASES / "opencompass_perplexity" / "vectors.json").read_text("utf-8"))


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


def test_the_right_label_and_the_chosen_one_are_for_the_confusion_matrix() -> None:
    scores = {"a": [None, -1.0], "b": [None, -2.0]}
    assert ChoiceChecker().check(scored("b", **scores)).labels == ("b", "a")
    assert ChoiceChecker().check(scored(["b", "a"], **scores)).labels == ("a", "a")
    assert ChoiceChecker(labels=("A", "B")).check(answered("C", "B")).labels == ("B", "(none)")


def test_a_number_is_a_label_too() -> None:
    checker = ChoiceChecker()
    assert checker.work(answered("3", 3)) > 0
    assert checker.check(answered("3", 3)).passed


@pytest.mark.parametrize("case", PERPLEXITIES)
def test_a_perplexity_is_of_as_many_tokens_as_upstreams(case: dict[str, Any]) -> None:
    tokens = case["tokens"]
    prompt = "".join(text for text, _, start in tokens if start >= 0)
    messages = (Message(prompt), Message("", Role.assistant))
    runs = (Transcript(messages, (Completion("", logprobs=tokens),), "a", (1,)),)
    context = CheckContext(runs, {}, "a")
    of_all = ChoiceChecker(tokens="all")._scores(context)["a"]
    assert [of_all] * 2 == pytest.approx(case["huggingface"], rel=1e-5)
    if tokens[0][2] == 0:  # else vLLM rates the text's first token, too
        assert ChoiceChecker()._scores(context)["a"] == pytest.approx(case["vllm"])


def test_the_number_of_tokens_can_change_the_choice() -> None:
    context = scored("a", a=[None, -1.0], bbbb=[None, -0.9, -0.9, -0.9, -0.9])
    assert not ChoiceChecker().check(context).passed
    assert ChoiceChecker(tokens="all").check(context).passed
    by = "likelihood"
    assert ChoiceChecker(by=by, tokens="all").check(context) == ChoiceChecker(by=by).check(context)
