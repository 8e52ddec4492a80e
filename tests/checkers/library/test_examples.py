"""The examples of every check, which `lve show checker` and the documentation show."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.dialogues import shape_of, wrong_verdicts
from support.judges import Panel, ask
from support.judging import judge_answers, judge_of, run_of_calls

from lve.checkers.arguments import fields_of
from lve.checkers.builtin_checker import Check, ExampleAnswers
from lve.checkers.by_name import load_builtin
from lve.checkers.contract import CheckContext
from lve.spec.check_names import CHECKS

CASES = Path(__file__).parents[2] / "cases"
WITHOUT_ANSWERS = frozenset(
    {"max_toxicity", "max_bias", "max_reasoning_tokens", "most_likely", "max_cost"}
) | frozenset(
    {
        "max_latency",
        "max_first_token",
        "max_output_tokens",
        "finish_reason",
        "rated_choice",
        "text_likelihood",
        "opencompass_score",
        "opencompass_judge",
        "opencompass_program",
        "promptfoo_script",
        "scorer",
    }
)
"""Checks that judge something else than an answer's text, ask a model, or run the user's code."""
OF_CALLS = ("calls.tool_calls", "calls.call_lists")
"""Modules of the checks whose examples are calls."""


REPLIES = json.loads((CASES / "judges" / "examples.json").read_text(encoding="utf-8"))
"""Check -> what a judge that gets it right replies to each of its examples."""


def examples() -> Iterator[Any]:
    for name in CHECKS:
        kind = load_builtin(name)
        assert kind is not None
        for number, (check, passes, fails) in enumerate(kind.examples):
            for outcome, answers in (("passed", passes), ("failed", fails)):
                for answer in answers:
                    label = f"{name}-{number}-{outcome}-{str(answer)[:20]!r}"
                    reply = REPLIES[name][number][outcome] if name in REPLIES else None
                    yield pytest.param(check, answer, outcome, reply, id=label)


@pytest.mark.parametrize(("check", "answer", "outcome", "reply"), list(examples()))
def test_example(
    check: dict[str, Any], answer: ExampleAnswers, outcome: str, reply: Any, tmp_path: Path
) -> None:
    if not isinstance(answer, str):
        several = list(answer) if isinstance(answer, tuple) else answer
        group = {"check": check, **shape_of(answer)}
        assert wrong_verdicts({**group, outcome: [several]}, tmp_path) == []
        return
    judge = judge_of(check, tmp_path)
    assert judge.asks is (reply is not None)
    panel = Panel(reply if isinstance(reply, list) else [reply])
    if CHECKS[next(iter(check))] in OF_CALLS:
        judged = judge.judge(CheckContext((run_of_calls(answer),)))
    else:
        judged = ask(judge, panel, answer) if judge.asks else judge_answers(judge, answer)
    assert judged.outcome == outcome, judged.reason
    assert judged.reason


@pytest.mark.parametrize("name", CHECKS)
def test_each_check_has_examples_that_pass_and_fail(name: str) -> None:
    kind = load_builtin(name)
    assert kind is not None
    assert kind.examples
    if name not in WITHOUT_ANSWERS:
        assert any(example.passes for example in kind.examples)
        assert any(example.fails for example in kind.examples)


@pytest.mark.parametrize("name", CHECKS)
def test_an_example_gives_arguments_that_the_check_has(name: str) -> None:
    kind = load_builtin(name)
    assert kind is not None
    for example in kind.examples:
        assert name in example.check
        assert {*example.check} <= {*fields_of(kind), "on"}


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_is_named_by_its_first_argument(name: str) -> None:
    kind = load_builtin(name)
    assert kind is not None
    assert issubclass(kind, Check)
    assert kind.shown_name() == name


def test_no_argument_has_the_name_of_another_check() -> None:
    """So that `{contains: Paris, ignore_case: true}` names one."""
    for name in CHECKS:
        kind = load_builtin(name)
        assert kind is not None
        assert not {*fields_of(kind)} & {*CHECKS} - {name}
