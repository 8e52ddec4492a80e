"""Verdicts of the base classes on several runs."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from lve.checkers.arguments import ArgumentError, build
from lve.checkers.builtin_checker import PerRunChecker
from lve.checkers.by_name import load_builtin
from lve.checkers.contract import CheckContext, Outcome, Verdict
from lve.messages import Message, Role, Transcript


@dataclass(frozen=True, slots=True)
class Says(PerRunChecker):
    """Gives the outcome that the answer names."""

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        outcomes: dict[str, Outcome] = {"p": "passed", "f": "failed", "e": "error"}
        return Verdict(outcomes.get(response, "inconclusive"), f"it is {response}")


@pytest.mark.parametrize(
    ("answers", "outcome", "reason"),
    [
        ("pp", "passed", "all 2 runs: it is p"),
        ("pf", "failed", "run 2 of 2: it is f"),
        ("ef", "failed", "run 2 of 2: it is f"),
        ("pe", "error", "run 2 of 2: it is e"),
        ("ie", "error", "run 2 of 2: it is e"),
        ("ip", "inconclusive", "run 1 of 2: it is i"),
    ],
)
def test_a_run_that_cannot_be_judged_does_not_pass(answers: str, outcome: str, reason: str) -> None:
    runs = tuple(Transcript((Message(one, Role.assistant),), filled=(0,)) for one in answers)
    assert Says().check(CheckContext(runs)) == Verdict(outcome, reason)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("is_json", "true"),
        ("is_sql", "true or a dialect"),
        ("no_pii", "true"),
        ("no_prompt_leak", "true or the text that must not leak"),
        ("answer_relevancy", "true or the question"),
        ("code_fence", "true or a language"),
    ],
)
def test_a_check_that_would_check_nothing_is_refused(name: str, kinds: str) -> None:
    kind = load_builtin(name)
    assert kind is not None
    with pytest.raises(ArgumentError) as refused:
        build(kind, {name: False})
    error = refused.value
    assert (str(error), error.hint) == (f"'{name}' is {kinds}", f"use {{not: {{{name}: true}}}}")
