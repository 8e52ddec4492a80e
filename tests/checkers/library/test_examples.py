"""The examples of every check, which `lve show checker` and the documentation show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.checks import judge_of, verdict

from lve.check_names import CHECKS
from lve.checkers.arguments import fields_of
from lve.checkers.builtin.names import load_builtin
from lve.checkers.builtin_checker import Check

WITHOUT_ANSWERS = frozenset(
    {"max_latency", "max_first_token", "max_output_tokens", "finish_reason"}
)
"""Checks that judge something else than the text of an answer."""


def examples() -> Iterator[Any]:
    for name in CHECKS:
        kind = load_builtin(name)
        assert kind is not None
        for number, (check, passes, fails) in enumerate(kind.examples):
            for outcome, answers in (("passed", passes), ("failed", fails)):
                for answer in answers:
                    label = f"{name}-{number}-{outcome}-{answer[:20]!r}"
                    yield pytest.param(check, answer, outcome, id=label)


@pytest.mark.parametrize(("check", "answer", "outcome"), list(examples()))
def test_example(check: dict[str, Any], answer: str, outcome: str, tmp_path: Path) -> None:
    judged = verdict(judge_of(check, tmp_path), answer)
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
