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
