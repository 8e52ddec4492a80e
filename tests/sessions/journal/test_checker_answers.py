"""Answers of judges and embedders, as a recorded instance keeps them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.checkers.questions import Answer
from lve.messages import Completion
from lve.sessions.journal.checker_answers import (
    answers_from_json,
    answers_of_recording,
    answers_to_json,
    recorded_answers,
)
from lve.verdicts.answer_counts import CheckerUsage


def again(*answers: Answer) -> list[Answer]:
    return list(answers_of_recording(json.loads(json.dumps(recorded_answers(answers)))))


def test_a_judges_text_comes_back() -> None:
    (answer,) = again(Answer("k", "judge", "j", Completion("yes", model="j-1"), cost=1.5))
    assert (answer.key, answer.role, answer.model, answer.cost) == ("k", "judge", "j", None)
    assert answer.completion is not None
    assert answer.completion.text == "yes"


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=1))
def test_a_vector_comes_back(numbers: list[float]) -> None:
    (answer,) = again(Answer("k", "embedding", "e", vector=numbers))
    assert answer.vector == numbers


def test_a_journal_says_which_answers_were_recorded() -> None:
    answers = again(Answer("k", "judge", "j", Completion("yes")))
    assert [answer.recorded for answer in answers_from_json(answers_to_json(answers))] == [True]
    usage = CheckerUsage()
    usage.add(answers)
    assert usage.answers == 0


def test_a_failure_is_not_recorded() -> None:
    assert again(Answer("k", "judge", "j", problem="asleep", problem_kind="timeout")) == []


@pytest.mark.parametrize("fields", [{}, {"vector": "!"}, {"vector": "AAAA"}, {"vector": ""}])
def test_what_can_not_be_read_is_not_there(fields: dict[str, Any]) -> None:
    assert list(answers_of_recording([{"key": "k", "role": "r", "model": "m", **fields}])) == []
