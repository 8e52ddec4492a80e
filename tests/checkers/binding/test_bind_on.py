"""Invalid `on` arguments, and `on` of custom checkers."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
from support.dialogues import prompts, said
from support.judging import judge_of

from lve.checkers.binding.bind import bind
from lve.checkers.by_name import load_builtin
from lve.checkers.resolve import resolve
from lve.checkers.static import bind_statically
from lve.errors import SpecError, TrustError
from lve.spec.load import load_spec


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (
            {"contains": "x", "on": "secnd"},
            "$.check.on: 'secnd' is no variable of an answer (did you mean `second`?)",
        ),
        (
            {"contains": "x", "on": "zebra"},
            "$.check.on: 'zebra' is no variable of an answer (there are first, second, response;"
            " `all` and `transcript` look at more)",
        ),
        ({"contains": "x", "on": "al"}, "(did you mean `all`?)"),
        ({"contains": "x", "on": ["first", "all"]}, "'all' stands alone, not in a list"),
        ({"contains": "x", "on": []}, "$.check.on: 'on' is the variable of an answer, a list"),
        ({"contains": "x", "on": 3}, "$.check.on: 'on' is the variable of an answer, a list"),
        ({"contains": "x", "on": [["a"]]}, "$.check.on: 'on' is the variable of an answer, a"),
        ({"contains": "x", "on": ["first"] * 1001}, "$.check.on: 'on' is the variable"),
        ({"contains": 3, "on": "secnd"}, "'contains' is a text, not 3"),
        ({"contains": 3, "on": "secnd"}, "'secnd' is no variable of an answer"),
        (
            {"all": [{"contains": "x", "on": "first"}], "on": "all"},
            "$.check.on: a check inside this one has an 'on', too (give it to the whole check",
        ),
        ({"not": {"any": [{"contains": "x", "on": "first"}]}, "on": "all"}, "inside this one"),
        ({"all": [{"contains": "x", "on": "frst"}]}, "$.check.all[0].on: 'frst' is no variable"),
        ({"RegexChecker": {"pattern": "x", "match_safe": True}, "on": "x"}, "$.check.on: 'x' is"),
        ({"MonotonicityChecker": {}, "on": "all"}, "has no 'on': it looks at all answers"),
        ({"contains": "{thrid}"}, "{thrid} names no parameter of the test, and no turn's variable"),
        ({"on": "first"}, "names no checker"),
        (
            {"judge": "Is it as kind as {first}?"},
            "$.check.judge: {first} is an answer, which must not instruct the judge (the"
            " judge gets the answers that `on` names, marked as such)",
        ),
    ],
)
def test_mistakes_are_explained(check: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        judge_of(check, tmp_path, **prompts({}))
    problems = [str(problem) for problem in caught.value.problems]
    assert any(message in problem for problem in problems), problems


@pytest.mark.parametrize(
    "check",
    [
        {"json": {"equals": {"a": ["{name}"]}}},
        {"all": [{"csv": {"rows": "{name}"}}]},
        {"not": {"json": {"equals": "{name}"}}},
    ],
)
def test_a_placeholder_inside_an_object_is_told(check: dict[str, Any], tmp_path: Path) -> None:
    prompt = {"prompt": [{"content": "{name}"}], "prompt_parameters": ["name"]}
    with pytest.raises(SpecError, match="isn't filled inside an object"):
        judge_of(check, tmp_path, **prompt)
    other = json.loads(json.dumps(check).replace("{name}", "{other}"))
    judge_of(other, tmp_path, **prompt)  # no row has that


def test_a_variable_of_one_run_only_can_be_named(tmp_path: Path) -> None:
    first = [{"content": "?"}, {"role": "assistant", "variable": "first"}]
    runs = [{"prompt": first}, {"prompt": [{"content": "?"}]}]
    judge = judge_of({"contains": "x", "on": "first"}, tmp_path, prompt=None, multi_run_prompt=runs)
    assert said({}, judge, [{"first": "x"}, {"response": "y"}]).passed
    with pytest.raises(SpecError, match="names no parameter of the test, and no turn's variable"):
        judge_of({"contains": "{first}"}, tmp_path, prompt=None, multi_run_prompt=runs)


def test_the_variable_must_not_be_called_like_all_of_them(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="'all' means something else here"):
        judge_of({"contains": "x", "on": "all"}, tmp_path, **prompts({"turns": ["all", "b"]}))


def _write_checker(folder: Path) -> None:
    (folder / "checker").mkdir(exist_ok=True)
    code = """
        from lve.checkers.base import Verdict
        class C:
            def __init__(self, word=""):
                self.word = word
            def check(self, context):
                told = [context.response, sorted(context.variables), self.word]
                return Verdict("passed", str(told))
            def postprocess_response(self, response):
                return response
    """
    (folder / "checker" / "checker.py").write_text(textwrap.dedent(code), encoding="utf-8")


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ({"on": "first"}, "answer 'first': ['a', ['first', 'second'], '']"),
        ({"on": "all"}, "all 2 answers: ['a', ['first', 'second'], '']"),
        ({"on": "second", "word": "{first}"}, "answer 'second': ['b', ['first', 'second'], 'a']"),
        ({"word": "{first}"}, "['b', ['first', 'second'], 'a']"),
    ],
)
def test_a_custom_checker_looks_where_on_says(
    args: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    _write_checker(tmp_path)
    with pytest.raises(TrustError, match="--trust"):
        judge_of({"C": args}, tmp_path, **prompts({}))
    spec = load_spec(tmp_path, tmp_path)
    assert bind_statically(spec).problems == []
    assert bind_statically(spec).needs[0].names == frozenset()
    judge = resolve(spec, trusted=True)
    assert said({}, judge, {"first": "a", "second": "b"}).reason == reason
    judge.stop()


def test_the_on_of_a_custom_checker_is_checked_without_running_it(tmp_path: Path) -> None:
    _write_checker(tmp_path)
    with pytest.raises(TrustError):
        judge_of({"C": {"on": "frst"}}, tmp_path, **prompts({}))
    (problem,) = bind_statically(load_spec(tmp_path, tmp_path)).problems
    assert "$.check.on: 'frst' is no variable of an answer (did you mean `first`?)" in str(problem)


@pytest.mark.parametrize(
    "check",
    [
        {"judge": "Is it as kind as this: {reference}?", "on": "all"},
        {"similar": "{first}", "threshold": 0.8, "on": "second"},
    ],
)
def test_what_may_stand_in_a_question_to_a_model(check: dict[str, Any], tmp_path: Path) -> None:
    assert judge_of(check, tmp_path, **prompts({})).asks


def test_an_answer_never_reaches_a_judges_rubric(tmp_path: Path) -> None:
    """Not even where names of columns can't be known before."""
    kind = load_builtin("judge")
    assert kind is not None
    bound = bind(kind, {"judge": "As kind as {first}?"}, tmp_path)
    assert bound.arguments.late == frozenset()
