"""The choice that a model rates highest, by its length in characters, bytes or tokens."""

from __future__ import annotations

from typing import Any

import pytest
from extensions.opencompass.rated_texts import rated

from lve.checkers.contract import CheckContext
from lve.errors import CheckerError
from lve.extensions.opencompass.checks.row_choice_check import RatedChoice
from lve.messages import Completion, Message, Role, Transcript


@pytest.mark.parametrize(
    ("by", "chosen"),
    # The first is likeliest as a whole, the second by characters, the third by bytes, the last by
    # tokens.
    [("total", 0), ("character", 1), ("byte", 2), ("token", 3)],
)
def test_the_best_choice_is_chosen(by: Any, chosen: int) -> None:
    choices = ["no", "certainly", "東京東京東", "abcd"]
    logprobs = [[-1.0], [-2.0, -0.2], [-2.5], [-0.6, -0.6, -0.6, -0.6]]
    verdict = RatedChoice(by, " ").check(rated(chosen, choices, logprobs))
    assert verdict.passed, verdict.reason
    assert verdict.labels == (str(chosen), str(chosen))


def test_the_score_is_the_share_of_the_right_choices() -> None:
    verdict = RatedChoice(delimiter=" ").check(rated([1, 2], ["a", "b", "c"], [[-1.0]] * 3))
    assert verdict.outcome == "failed"
    assert verdict.score == pytest.approx(2 / 3)
    assert verdict.reason == "chose 0, expected 1 or 2 (total: 0 -1, 1 -1, 2 -1)"
    assert verdict.labels == ("1", "0")


def test_white_space_before_a_choice_is_its_own() -> None:
    """It is rated with the choice, as in lm-evaluation-harness, also as a token of its own."""
    context = rated(1, ["a", "b"], [[-3.0, -1.0], [-1.0, -2.5]], prompt="Q: ")
    assert RatedChoice(delimiter=" ").check(context).reason == "chose 1 (total: 0 -4, 1 -3.5)"


def test_the_name_of_a_choice_has_the_length_that_counts() -> None:
    choices = [
        {"text": "won.", "before": "Ann ", "name": "Ann"},
        {"text": "won.", "before": "Beatrice ", "name": "Beatrice"},
    ]
    context = rated(1, choices, [[-3.0], [-4.0]], prompt="")
    assert RatedChoice("total", " ").check(context).outcome == "failed"
    assert RatedChoice("character", " ").check(context).passed


def test_a_text_names_a_right_choice() -> None:
    assert RatedChoice(delimiter=" ").check(rated("b", ["a", "b"], [[-2.0], [-1.0]])).passed


def test_an_answer_in_words_is_searched_for_the_choices() -> None:
    answer = Message("It is Paris.", Role.assistant)
    transcript = Transcript((Message("?"), answer), (Completion("It is Paris."),), filled=(1,))
    context = CheckContext((transcript,), {"choices": ["Lyon", "Paris"]}, 1)
    assert RatedChoice().check(context).passed
    context.reference = 0
    assert RatedChoice().check(context).outcome == "failed"


@pytest.mark.parametrize(
    ("target", "choices", "message"),
    [
        (2, ["a", "b"], "the right answer is choice 2, and the row has 2, from 0"),
        ("c", ["a", "b"], "the right answer is choice -1"),
        (None, ["a", "b"], "the row has no right answer"),
        (0, [], "the column `choices` of each row"),
    ],
)
def test_a_wrong_row_is_an_error(target: Any, choices: list[str], message: str) -> None:
    context = rated(target, choices, [[-1.0]] * len(choices))
    with pytest.raises(CheckerError, match=message):
        RatedChoice(delimiter=" ").check(context)


def test_texts_of_other_choices_are_an_error() -> None:
    context = rated(0, ["a", "b"], [[-1.0], [-1.0]])
    context.parameters = {"choices": ["a", "b", "c"]}
    with pytest.raises(CheckerError, match="2 texts were rated, and the row has 3 choices"):
        RatedChoice().check(context)


def test_a_model_without_log_probabilities_is_an_error() -> None:
    context = rated(0, ["a", "b"], [[-1.0], [-1.0]])
    for run in context.transcripts:
        run.completions[0].logprobs = None
    with pytest.raises(CheckerError, match="gives no log-probabilities of a prompt"):
        RatedChoice().check(context)
