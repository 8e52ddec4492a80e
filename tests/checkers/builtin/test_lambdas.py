"""Lambdas of answers and parameters: which values they get, which names they may use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, spec_with, transcript

from lve.checkers.arguments import ArgumentError
from lve.checkers.base import CheckContext, Verdict
from lve.checkers.builtin import lambdas
from lve.checkers.builtin.lambdas import LambdaChecker, MultiRunLambdaChecker
from lve.checkers.resolve import resolve
from lve.checkers.usable_names import answer_names
from lve.errors import SpecError
from lve.spec.spec import Spec


def judged(func: str, *responses: Any, extract: Any = None, **context: Any) -> Verdict:
    kind = LambdaChecker if len(responses) == 1 else MultiRunLambdaChecker
    runs = tuple(map(transcript, responses))
    return kind(func, extract).check(CheckContext(runs, **context))


@pytest.mark.parametrize(
    ("func", "context", "passed"),
    [
        ("lambda r: r == 'x'", {}, True),
        ("lambda r: r == 'y'", {}, False),
        ("lambda r, a: a == 1", {"parameters": {"a": 1}}, True),
        ("lambda r, t: t == 0", {"args": {"t": 0}}, True),
        ("lambda r, a: a == 1", {"parameters": {"a": 1}, "args": {"a": 2}}, True),
        ("lambda r, a=5: a == 5", {"parameters": {"a": None}}, True),
        ("lambda r, a: a == 2", {"parameters": {"a": 2}, "args": {"a": None}}, True),
        ("lambda r, reference: r == reference", {"reference": "x"}, True),
        ("lambda r, reference: reference == 7", {"reference": "x", "args": {"reference": 7}}, True),
        ("lambda r: r == '{a}'", {"parameters": {"a": "x"}}, True),
    ],
)
def test_a_lambda_gets_what_its_arguments_name(
    func: str, context: dict[str, Any], passed: bool
) -> None:
    assert judged(func, "x", **context).passed is passed


def test_an_answer_of_a_turn_is_an_argument_too() -> None:
    turns = {"first": "a", "response": "b"}
    assert judged("lambda r, first: r == 'b' and first == 'a'", turns).passed
    assert judged("lambda r, first: first == 'given'", turns, args={"first": "given"}).passed


@pytest.mark.parametrize(
    ("extract", "responses", "passed"),
    [("float_first", ("2 and 3",), True), ("float_last", ("3 and 2",), True),
     ("float_first", ("3 and 2",), False), ("float_first", ("none",), False)],
)  # fmt: skip
def test_a_number_is_taken_from_an_answer(
    extract: str, responses: tuple[str, ...], passed: bool
) -> None:
    assert judged("lambda r: r == 2", *responses, extract=extract).passed is passed


def test_several_runs_are_judged_together() -> None:
    assert judged("lambda rs: rs == ['a', 'b']", "a", "b").passed
    assert judged("lambda rs: sum(rs) == 3", "is 1", "is 2", extract="float_first").passed
    missing = judged("lambda rs: True", "1", "none", extract="float_first")
    assert (missing.passed, missing.reason.partition(":")[0]) == (False, "run 2 of 2")


@pytest.mark.parametrize("func", ["lambda r: import os", "lambda r: r.__class__", "'{'", "{a"])
def test_what_is_no_lambda_is_a_wrong_argument(func: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        LambdaChecker(func)
    assert caught.value.argument == "func"


@pytest.mark.parametrize(
    ("func", "message"),
    [
        ("lambda a, b: True", "first argument is the response, and 'a' is a parameter"),
        ("lambda r, other: True", "the lambda's argument 'other' is no "),
        ("lambda r: r == '{other}'", "other"),
    ],
)
def test_a_name_that_no_instance_has_is_found_before_anything_is_asked(
    func: str, message: str, tmp_path: Path
) -> None:
    checker = {"checker_name": "LambdaChecker", "func": func}
    with pytest.raises(SpecError, match=message):
        resolve(spec_with(tmp_path, parameters=["a", "b"], checker_args=checker))


def test_parameters_and_the_reference_are_known(tmp_path: Path) -> None:
    checker = {"checker_name": "LambdaChecker", "func": "lambda r, a, reference=None: r == a"}
    judge = resolve(spec_with(tmp_path, parameters=["a"], checker_args=checker))
    assert judge_answers(judge, "x", args={"a": "x"}).outcome == "passed"


def test_a_lambda_of_the_answer_alone_needs_no_prompts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Spec] = []
    monkeypatch.setattr(
        lambdas, "answer_names", lambda spec: read.append(spec) or answer_names(spec)
    )
    plain, other = (
        {"checker_name": "LambdaChecker", "func": func}
        for func in ("lambda r: r == 'x'", "lambda r, odd: r == odd")
    )
    resolve(spec_with(tmp_path, checker_args=plain))
    assert read == []
    with pytest.raises(SpecError, match="odd"):
        resolve(spec_with(tmp_path, checker_args=other))
    assert read


@pytest.mark.parametrize("extract", [None, "int_first", "float_last"])
@pytest.mark.parametrize("responses", [("",), ("12345",), ("12", "345")])
def test_only_extracting_numbers_is_work_without_a_meter(
    extract: Any, responses: tuple[str, ...]
) -> None:
    kind = LambdaChecker if len(responses) == 1 else MultiRunLambdaChecker
    checker = kind("lambda r: True", extract)
    work = checker.work(CheckContext(tuple(map(transcript, responses))))
    assert work == (0 if extract is None else 20 * len("".join(responses)))
