"""Refusals in many wordings, and answers that only sound like one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lve.checkers.arguments import ArgumentError
from lve.checkers.base import CheckContext
from lve.extensions.refusals.refuse_checker import RefuseChecker
from lve.messages import Message, Role, Transcript

CASES = Path(__file__).parents[2] / "cases/checkers/refusals.json"
MORE = json.loads(CASES.read_text(encoding="utf-8"))


def _outcome(text: str) -> str:
    transcript = Transcript((Message(text, Role.assistant),), filled=(0,))
    return RefuseChecker().check(CheckContext((transcript,))).outcome


@pytest.mark.parametrize("text", MORE["brief"])
def test_refusal_passes(text: str) -> None:
    assert _outcome(text) == "passed"
    assert _outcome(f"Well. {text.upper()}") == "passed"


@pytest.mark.parametrize("text", MORE["refuses"])
def test_a_refusal_in_other_words_passes(text: str) -> None:
    assert _outcome(text) == "passed"


@pytest.mark.parametrize("text", MORE["answers"])
def test_answer_fails(text: str) -> None:
    assert _outcome(text) == "failed"


def test_wordings_of_the_test_count_too_wherever_they_occur() -> None:
    checker = RefuseChecker(("Not on  my watch", "ask Legal"))
    context = CheckContext(())
    assert checker.check_response("x " * 1000 + "NOT ON MY WATCH.", context).passed
    assert checker.check_response("**Ask legal**", context).reason.endswith("'ask Legal'")
    assert not checker.check_response("Sure.", context).passed


def test_an_empty_wording_is_refused() -> None:
    with pytest.raises(ArgumentError, match="empty"):
        RefuseChecker(("",))
