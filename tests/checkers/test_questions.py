"""What a check makes of answers: those of a model, those that nobody gave, and none."""

from __future__ import annotations

import pytest

from lve.checkers.questions import (
    Answer,
    Answers,
    NobodyAskedError,
    Question,
    UnansweredError,
    answers_to,
    work_of_asking,
)
from lve.errors import CheckerError
from lve.messages import Completion

QUESTION, OTHER = Question("judge", text="a"), Question("judge", text="b")


def answer(question: Question, model: str = "m", problem: str | None = None) -> Answer:
    completion = Completion("yes") if problem is None else None
    return Answer(question.key, "judge", model, completion, problem=problem)


def test_answers_come_in_the_order_of_the_questions() -> None:
    known = Answers([answer(QUESTION, "first"), answer(OTHER, "second")])
    assert [one.model for one in answers_to(known, [OTHER, QUESTION])] == ["second", "first"]
    assert known.used.keys() == {QUESTION.key, OTHER.key}


def test_a_model_that_failed_is_named_and_a_replay_that_lacks_an_answer_is_something_else() -> None:
    failed = Answers([answer(QUESTION), answer(OTHER, problem="it is asleep")])
    with pytest.raises(CheckerError, match="the judge m can't answer: it is asleep") as caught:
        answers_to(failed, [QUESTION, OTHER])
    assert not isinstance(caught.value, NobodyAskedError)
    assert caught.value.code == "judge"
    with pytest.raises(NobodyAskedError, match=r"^nobody was asked$"):
        answers_to(Answers([answer(OTHER, "", "nobody was asked")]), [OTHER])


def test_where_no_model_can_be_asked_the_option_is_named() -> None:
    with pytest.raises(CheckerError, match="give one with --role judge=MODEL") as caught:
        answers_to(None, [QUESTION])
    assert caught.value.code == "missing_role"


def test_a_question_that_is_not_asked_yet_is_noted() -> None:
    known = Answers([answer(OTHER)])
    with pytest.raises(UnansweredError):
        answers_to(known, [OTHER, QUESTION])
    assert [*known.missing] == [QUESTION.key]
    known.add([answer(QUESTION)])
    assert not known.missing
    assert len(answers_to(known, [QUESTION, OTHER])) == 2


def test_only_a_missing_answer_keeps_the_work_from_being_known() -> None:
    def broken() -> None:
        raise CheckerError("it is broken")

    def unanswered() -> None:
        raise UnansweredError("not yet")

    assert work_of_asking(lambda: None) == work_of_asking(broken) > 0
    with pytest.raises(UnansweredError):
        work_of_asking(unanswered)
