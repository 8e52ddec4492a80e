"""A pattern that would grow without bound is refused wherever a test can have one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.folders import write_test
from support.judging import judge_answers, spec_with
from support.run_command import instances

from lve.checkers.resolve import resolve
from lve.checkers.static import check_statically
from lve.errors import CheckerError
from lve.prompts.answers.answer_format import mismatch
from lve.prompts.answers.answer_schema import schema_problems

BOMB = "a{{4294967294}}"
"""In a checker's argument, where braces are written twice."""
FOUR = "(?:" * 25 + "a" + ")+" * 25

CHECKERS: list[dict[str, Any]] = [
    {"checker_name": "RegexChecker", "pattern": BOMB, "match_safe": True},
    {"checker_name": "RegexChecker", "pattern": FOUR, "match_safe": False},
    {"checker_name": "MonotonicityChecker", "answer_value_regex": BOMB},
    {"checker_name": "MonotonicityChecker", "answer_variable_identifier_regex": BOMB},
    {"checker_name": "MonotonicityChecker", "param_variable_identifier_regex": FOUR},
    {
        "checker_name": "RefuseChecker",
        "extract": {"type": "pattern", "pattern": "a{4294967294}"},
    },
    {
        "checker_name": "RefuseChecker",
        "extract": ["first-line", {"type": "match_answer_pattern", "pattern": FOUR}],
    },
]


@pytest.mark.parametrize("checker", CHECKERS)
def test_check_refuses_it(checker: dict[str, Any], tmp_path: Path) -> None:
    spec = spec_with(tmp_path / "t", parameters=["p1", "p2"], checker_args=checker)
    problems = [str(problem) for problem in check_statically(spec)]
    assert len(problems) == 1
    assert "repeats too much" in problems[0]


@pytest.mark.parametrize("method", ["search", "match", "fullmatch", "findall", "split", "sub"])
def test_expression_refuses_it(method: str, tmp_path: Path) -> None:
    arguments = "'a{{4294967294}}', 'b', r" if method == "sub" else "'a{{4294967294}}', r"
    func = f"lambda r: re.{method}({arguments})"
    checker = {"checker_name": "LambdaChecker", "func": func}
    spec = spec_with(tmp_path / "t", checker_args=checker)
    verdict = judge_answers(resolve(spec), "aaa")
    assert verdict.outcome == "error"
    assert "repeats too much" in verdict.reason


def test_expression_pays_for_every_pattern_that_it_makes(tmp_path: Path) -> None:
    func = "lambda r: any(re.search('a?' * 1000 + str(n), r) for n in range(10000))"
    spec = spec_with(tmp_path / "t", checker_args={"checker_name": "LambdaChecker", "func": func})
    verdict = judge_answers(resolve(spec), "b")
    assert verdict.outcome == "error"
    assert "steps" in verdict.reason


def test_expression_pays_once_for_a_pattern_that_it_uses_often(tmp_path: Path) -> None:
    func = "lambda r: sum(1 for n in range(500) if re.search('(?:word){{900}}|ab?c', r)) == 500"
    spec = spec_with(tmp_path / "t", checker_args={"checker_name": "LambdaChecker", "func": func})
    assert judge_answers(resolve(spec), "ac").outcome == "passed"


def test_replacement_with_groups_is_read_like_a_pattern(tmp_path: Path) -> None:
    func = r"lambda r: re.sub('(a)', r'\1' * 300000, r)"
    spec = spec_with(tmp_path / "t", checker_args={"checker_name": "LambdaChecker", "func": func})
    verdict = judge_answers(resolve(spec), "")
    assert verdict.outcome == "error"
    assert "more than 20,000 characters" in verdict.reason


def test_row_that_brings_it_is_an_error_and_the_others_go_on(root: Path) -> None:
    write_test(
        root / "t",
        prompt_parameters=["pattern"],
        prompt=[{"role": "user", "content": "Match {pattern}"}],
        checker_args={"checker_name": "RegexChecker", "pattern": "{pattern}", "match_safe": True},
        instances=[{"args": {"pattern": one}} for one in ("a{4294967294}", FOUR, ".", "^")],
    )
    result = lve("run", root / "t", "--json", code=3)
    assert [one["verdict"] for one in instances(result)] == ["error", "error", "passed", "passed"]
    assert result.stdout.count("repeats too much") >= 2


def test_schema_refuses_it() -> None:
    schema = {"type": "object", "properties": {"a": {"pattern": "a{4294967294}"}}}
    (problem,) = schema_problems(schema)
    assert "repeats too much" in problem
    assert "can't be used" in str(mismatch(schema, {"a": "aaa"}))


def test_pattern_of_a_schema_has_a_deadline() -> None:
    schema = {"items": {"pattern": "(a|a)*$"}}
    with pytest.raises(CheckerError, match="a pattern takes too long on it"):
        mismatch(schema, ["a" * 60 + "b"] * 50)
