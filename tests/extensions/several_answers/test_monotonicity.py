"""Answers that rise or fall with their parameters."""

from __future__ import annotations

from typing import Any

import pytest
from support.judging import transcript

from lve.checkers.arguments import ArgumentError
from lve.checkers.base import CheckContext, Verdict
from lve.errors import CheckerError
from lve.extensions.several_answers.monotonicity import MonotonicityChecker

YEARS = {"year1": 2020, "year2": "2010", "topic": "x"}


def judged(answers: dict[str, str], parameters: dict[str, Any] = YEARS, **how: Any) -> Verdict:
    context = CheckContext((transcript(answers),), parameters)
    return MonotonicityChecker(**how).check(context)


@pytest.mark.parametrize(
    ("answers", "how", "passed"),
    [
        (("5", "3"), {}, True),
        (("3", "5"), {}, False),
        (("5", "5"), {}, True),
        (("5", "5"), {"strict": True}, False),
        (("3", "5"), {"order": "desc"}, True),
        (("5", "3"), {"order": "desc"}, False),
        (("5", "5"), {"order": "desc", "strict": True}, False),
        (("about 5.5 of 9", "-3"), {}, True),
        (("x=1 y=9", "x=2 y=3"), {"answer_value_regex": r"y=(\d)"}, True),
        (("x=1 y=9", "x=2 y=3"), {"answer_value_regex": r"x=(\d)"}, False),
        (("9", "3"), {"answer_value_regex": r"\d"}, True),
    ],
)
def test_answers_are_ordered_by_their_parameters(
    answers: tuple[str, str], how: dict[str, Any], passed: bool
) -> None:
    verdict = judged({"a1": answers[0], "a2": answers[1]}, **how)
    assert verdict.passed is passed, verdict.reason


def test_the_reason_names_the_two_that_are_out_of_order() -> None:
    reason = judged({"a1": "3", "a2": "5"}, strict=True).reason
    assert reason == "5 for 2010 and 3 for 2020: answers should strictly rise"
    assert judged({"a1": "5", "a2": "3"}).reason == "answers 3 5 are in order"


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_all_answers_to_equal_parameters_are_in_order_with_the_next(order: Any) -> None:
    parameters = {"p1": 1, "p2": 1, "p3": 2}
    for first, second in (("5", "9"), ("9", "5")):
        found = judged({"a1": first, "a2": second, "a3": "7"}, parameters, order=order)
        assert not found.passed


def test_equal_parameters_have_no_order() -> None:
    assert judged({"a1": "1", "a2": "9"}, {"p1": 1, "p2": 1.0}, strict=True).passed


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"a1": "none", "a2": "3"}, "found no number in answer 'a1': 'none'"),
        ({"a1": "5", "other": "3"}, "no answer belongs to the parameter with identifier 2"),
    ],
)
def test_an_answer_that_is_missing_is_a_failure(answers: dict[str, str], reason: str) -> None:
    verdict = judged(answers)
    assert (verdict.passed, verdict.reason) == (False, reason)


def test_what_the_pattern_finds_must_be_a_number() -> None:
    assert not judged({"a1": "v5", "a2": "v3"}, answer_value_regex=r"(v)\d").passed
    assert not judged({"a1": "5", "a2": "3"}, answer_value_regex=r"5|(x)").passed


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"p1": "many", "p2": 1}, "parameter 'p1' is not a number: 'many'"),
        ({"p1": None, "p2": 1}, "parameter 'p1' is not a number"),
        ({"p1": 1, "topic": 2}, "fewer than two parameters match"),
    ],
)
def test_without_an_order_there_is_nothing_to_judge(
    parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(CheckerError, match=message):
        judged({"a1": "1", "a2": "2"}, parameters)


def test_identifiers_are_found_by_the_given_patterns() -> None:
    how = {
        "param_variable_identifier_regex": "^in_(.)",
        "answer_variable_identifier_regex": "^out_(.)",
    }
    parameters = {"in_a": 1, "in_b": 2, "size3": 99}
    assert judged({"out_a": "1", "out_b": "2", "note4": "x"}, parameters, **how).passed


def test_every_run_is_judged() -> None:
    runs = tuple(transcript({"a1": one, "a2": "3"}) for one in ("5", "1"))
    verdict = MonotonicityChecker().check(CheckContext(runs, YEARS))
    assert not verdict.passed


def test_a_wrong_pattern_names_its_argument() -> None:
    with pytest.raises(ArgumentError) as caught:
        MonotonicityChecker(param_variable_identifier_regex="(")
    assert caught.value.argument == "param_variable_identifier_regex"
