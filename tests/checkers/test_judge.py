"""Several checkers of one test, and the examples that prove them."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, spec_with, transcript

from lve.checkers.contract import CheckContext
from lve.checkers.judging_limits import NeedsProcessError
from lve.checkers.resolve import resolve
from lve.checkers.static import check_statically
from lve.messages import Completion

HELLO = {"checker_name": "ExactMatchChecker", "pattern": "Hello", "match_safe": True}
SHORT = {"checker_name": "LambdaChecker", "func": "lambda r: len(r) < 9"}
CRASH = {"checker_name": "LambdaChecker", "func": "lambda r: int(r) == 1"}


@pytest.mark.parametrize(
    ("checkers", "pass_when", "answer", "outcome", "reason"),
    [
        ([HELLO, SHORT], "all", "Hello", "passed", "ExactMatchChecker: found 'Hello'"),
        ([HELLO, SHORT], "all", "Hello Hello", "failed", "LambdaChecker: len(r) < 9: 11 < 9"),
        ([HELLO, SHORT], "all", "Bye bye bye", "failed", "; LambdaChecker"),
        ([HELLO, SHORT], "any", "Bye", "passed", "LambdaChecker: len(r) < 9: 3 < 9 is true"),
        ([HELLO, SHORT], "any", "Bye bye bye", "failed", "ExactMatchChecker: 'Hello' doesn't"),
        ([HELLO, CRASH], "all", "Hello", "error", "can't be computed"),
        ([HELLO, CRASH], "all", "Bye", "failed", "'Hello' doesn't occur"),
        ([HELLO, CRASH], "any", "Hello", "passed", "found 'Hello'"),
        ([HELLO, CRASH], "any", "Bye", "error", "can't be computed"),
    ],
)
def test_verdicts_are_combined(
    checkers: Any, pass_when: str, answer: str, outcome: str, reason: str, tmp_path: Path
) -> None:
    spec = spec_with(tmp_path, checker_args=None, checkers=checkers, pass_when=pass_when)
    verdict = judge_answers(resolve(spec), answer)
    assert verdict.outcome == outcome
    assert reason in verdict.reason


def test_a_reason_has_the_name_of_its_check_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lve.checkers.judge.TOGETHER_S", -1.0)  # so all are skipped
    spec = spec_with(tmp_path, checker_args=None, checkers=[HELLO, SHORT])
    verdict = judge_answers(resolve(spec), "Hello")
    assert verdict.outcome == "error"
    assert verdict.reason.count("ExactMatchChecker: ") == 1
    assert verdict.reason.count("; LambdaChecker: ") == 1
    assert "LambdaChecker: LambdaChecker" not in verdict.reason


def test_problem_of_the_second_checker_is_placed_there(tmp_path: Path) -> None:
    wrong = {"checker_name": "RegexChecker", "pattern": "(", "match_safe": True}
    spec = spec_with(tmp_path, checker_args=None, checkers=[HELLO, wrong])
    (problem,) = check_statically(spec)
    assert problem.path == "$.checkers[1].pattern"


def test_examples_prove_the_checker(tmp_path: Path) -> None:
    examples = [
        {"response": "Hello!", "verdict": "passed"},
        {"response": "Bye!", "verdict": "failed"},
        {"response": "Bye, Hello!", "verdict": "failed"},
    ]
    spec = spec_with(tmp_path, checker_args=HELLO, examples=examples)
    (problem,) = check_statically(spec)
    assert problem.path == "$.examples[2]"
    assert "must fail, and the checker says passed: found 'Hello' at character 6" in problem.message


def test_examples_have_args_runs_variables_and_references(tmp_path: Path) -> None:
    checker = {
        "checker_name": "MultiRunLambdaChecker",
        "func": "lambda rs, a, reference: rs == [a, reference]",
    }
    examples = [
        {"response": ["x", "y"], "verdict": "passed", "args": {"a": "x"}, "reference": "y"},
        {
            "response": ["x", {"response": "z"}],
            "verdict": "failed",
            "args": {"a": "x"},
            "reference": "y",
        },
    ]
    spec = spec_with(tmp_path, parameters=["a"], checker_args=checker, examples=examples)
    assert check_statically(spec) == []


def test_many_checkers_that_take_long_together_are_not_judged_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = resolve(spec_with(tmp_path, checker_args=None, checkers=[SHORT, SHORT]))
    runs = (transcript("Hello"),)
    assert judge.judge_in_process(CheckContext(runs)).outcome == "passed"
    monkeypatch.setattr("lve.checkers.judge.IN_PROCESS_S", -1.0)
    with pytest.raises(NeedsProcessError):
        judge.judge_in_process(CheckContext(runs))
    assert judge.judge(CheckContext(runs)).outcome == "passed"


def test_judging_one_instance_does_not_go_on_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lve.checkers.judge.TOGETHER_S", -1.0)
    judge = resolve(spec_with(tmp_path, checker_args=None, checkers=[SHORT, SHORT]))
    verdict = judge_answers(judge, "Hello")
    assert verdict.outcome == "error"
    assert "judging has taken" in verdict.reason


def test_examples_that_take_long_are_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lve.checkers.examples.EXAMPLES_S", -1.0)
    examples = [{"response": "Hello", "verdict": "passed"}] * 3
    (problem,) = check_statically(spec_with(tmp_path, checker_args=HELLO, examples=examples))
    assert problem.path == "$.examples[1]"
    assert "were left out" in problem.message


@pytest.mark.parametrize(
    "checker",
    [
        {"checker_name": "RegexChecker", "pattern": "(a|a)*$", "match_safe": True},
        {"checker_name": "LambdaChecker", "func": "lambda r: re.search('(a|a)*$', r)"},
        {"checker_name": "RegexChecker", "pattern": "{q}(a|a)*$", "match_safe": True},
    ],
    ids=["pattern", "lambda", "filled"],
)
def test_backtracking_in_every_row_takes_little_of_our_own_time(
    checker: dict[str, Any], tmp_path: Path
) -> None:
    judge = resolve(spec_with(tmp_path, parameters=["q"], checker_args=checker))
    start = time.process_time()
    for _ in range(100):
        context = CheckContext((transcript("a" * 20_000 + "!"),), args={"q": "a"})
        with pytest.raises(NeedsProcessError):
            judge.judge_in_process(context)
    assert time.process_time() - start < 2


def test_quick_judgements_are_done_here_also_after_slow_ones(tmp_path: Path) -> None:
    checker = {"checker_name": "RegexChecker", "pattern": "(a|a)*$", "match_safe": True}
    judge = resolve(spec_with(tmp_path, checker_args=checker))
    for _ in range(30):
        with pytest.raises(NeedsProcessError):
            judge.judge_in_process(CheckContext((transcript("a" * 20_000 + "!"),)))
    assert judge.judge_in_process(CheckContext((transcript("a"),))).outcome == "passed"


@pytest.mark.parametrize(
    ("text", "finish_reason", "checkers", "is_said"),
    [
        ("", "length", [{"text": "Paris"}], True),
        (" \n", "length", [{"number": 42}], True),
        ("", "length", [{"all": [{"contains": "Paris"}, {"max_words": 3}]}], True),
        ("", "length", [{"contains": "Paris"}, {"max_words": 3}], True),
        ("", "stop", [{"text": "Paris"}], False),
        ("", None, [{"text": "Paris"}], False),
        ("Rome", "length", [{"text": "Paris"}], False),
        ("", "length", [{"max_words": 3}], False),
    ],
)
def test_a_limit_of_tokens_that_left_no_answer_is_named(
    text: str, finish_reason: str | None, checkers: Any, is_said: bool, tmp_path: Path
) -> None:
    spec = spec_with(tmp_path, checker_args=None, checks=checkers)
    run = replace(transcript(text), completions=(Completion(text, finish_reason),))
    judge = resolve(spec)
    verdict = judge.judge(CheckContext((run,)))
    assert ("the limit of tokens cut the answer off" in verdict.reason) is is_said, verdict
    assert judge.judge_in_process(CheckContext((run,))).reason == verdict.reason
