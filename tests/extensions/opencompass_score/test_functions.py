"""Functions for answers (test_evaluators.py compares them all with upstream's)."""

from __future__ import annotations

import pytest

from lve.extensions.opencompass_score.functions import FUNCTIONS, yes_or_no


def test_nothing_to_extract() -> None:
    assert FUNCTIONS["gsm8k"]("none") == "NULL"
    assert FUNCTIONS["math_postprocess_v2"]("\\boxed{7}. x") == "7"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("So the answer is yes.", "yes"),
        ("The answer is no.\n\nQ: Is it? The answer is yes.", "no"),
        ("yes\nThe answer is no", "no"),
        ("The answer is no. No, the answer is Yes", "yes"),
        ("\n\nyes", ""),
        ("maybe", ""),
    ],
)
def test_the_word_behind_the_last_answer_of_the_first_paragraph_counts(
    text: str, word: str
) -> None:
    assert yes_or_no(text) == word  # as upstream's strategyqa_pred_postprocess
