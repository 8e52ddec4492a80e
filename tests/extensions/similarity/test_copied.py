"""The check for copied text."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.judging import judge_answers, judge_of

from lve.errors import SpecError

POEM = "The harbour keeps its lanterns low, and no one asks the gulls to go."


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("THE HARBOUR — keeps its *lanterns* low and", "failed"),
        ("It says no one asks the gulls, to go home.", "failed"),
        ("The harbour keeps its lanterns dim.", "passed"),
        ("<think>The harbour keeps its lanterns low, and no</think>It is sad.", "passed"),
        ("", "passed"),
    ],
)
def test_so_many_words_in_a_row(answer: str, outcome: str, tmp_path: Path) -> None:
    judge = judge_of({"not_copied": POEM, "words": 6}, tmp_path)
    assert judge_answers(judge, answer).outcome == outcome


def test_all_of_a_short_text_is_copied(tmp_path: Path) -> None:
    judge = judge_of({"not_copied": ["春眠不覚暁", "Off we go"]}, tmp_path)
    assert judge_answers(judge, "So off, we go!").outcome == "failed"
    assert judge_answers(judge, "「春眠不覚暁」です").outcome == "failed"
    assert judge_answers(judge, "春眠").passed


def test_the_text_may_come_from_the_instance(tmp_path: Path) -> None:
    more = {
        "prompt": [{"role": "user", "content": "Sum up: {poem}"}],
        "prompt_parameters": ["poem"],
    }
    judge = judge_of({"not_copied": "{poem}", "words": 6}, tmp_path, **more)
    assert judge_answers(judge, POEM, args={"poem": POEM}).outcome == "failed"
    assert judge_answers(judge, POEM, args={"poem": "Something else"}).passed


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ({"not_copied": "..."}, "a text has no words"),
        ({"not_copied": []}, "a text has no words"),
        ({"not_copied": "a b", "words": 0}, "'words' is 1 or more, not 0"),
    ],
)
def test_mistakes_are_explained(check: object, message: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=message):
        judge_of(check, tmp_path)
