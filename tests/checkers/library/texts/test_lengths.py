"""What counts as a word."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.judging import judge_answers, judge_of


@pytest.mark.parametrize(
    "answer", ["** It is Paris **", "** Es ist Köln **", "* It is Paris", "`` It is Paris ``"]
)
def test_marks_of_emphasis_are_no_words_in_any_script(answer: str, tmp_path: Path) -> None:
    assert judge_answers(judge_of({"max_words": 3}, tmp_path), answer).passed
    assert judge_answers(judge_of({"min_words": 4}, tmp_path), answer).outcome == "failed"


@pytest.mark.parametrize(
    ("check", "answer", "outcome"),
    [
        ({"max_words": 2}, "<think>one two three</think>four five", "passed"),
        ({"max_characters": 4}, "<think>one two three</think>four", "passed"),
        ({"max_sentences": 1}, "<think>One. Two.</think>Three.", "passed"),
        ({"max_words": 9}, "<think>I would say", "failed"),
        ({"min_lines": 2}, "<think>one\ntwo\n</think>three", "failed"),
    ],
)
def test_reasoning_is_not_counted(
    check: dict[str, int], answer: str, outcome: str, tmp_path: Path
) -> None:
    assert judge_answers(judge_of(check, tmp_path), answer).outcome == outcome
