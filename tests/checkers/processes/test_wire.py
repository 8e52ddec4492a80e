"""The data of custom checkers: transcripts unchanged, other values as JSON."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.processes.wire import (
    context_from_json,
    context_to_json,
    packed,
    unpacked,
    verdict_from_json,
    verdict_to_json,
)
from lve.errors import CheckerError
from lve.messages import Completion, Message, Role, Transcript, Usage


def over_the_pipe(context: CheckContext) -> CheckContext:
    return context_from_json(json.loads(json.dumps(context_to_json(context), default=str)))


def test_a_checker_gets_the_transcripts_as_they_are() -> None:
    messages = (Message("hi \ud800"), Message("yes", Role.assistant, variable="first"))
    completion = Completion("yes", "stop", Usage(1, 2), 0.5, logprobs={"content": []})
    context = CheckContext((Transcript(messages, (completion,), "a", (1,)),), parsed=None)
    assert over_the_pipe(context) == context


def test_a_checker_gets_parameters_as_json_has_them() -> None:
    context = CheckContext((), {"day": date(2024, 1, 2)}, reference=("a",), args={"n": 1})
    found = over_the_pipe(context)
    assert found.parameters == {"day": "2024-01-02"}
    assert found.reference == ["a"]
    assert found.args == {"n": 1}


def test_what_cannot_be_sent_is_an_error_of_the_checker() -> None:
    assert unpacked(packed((1, date(2024, 1, 2)))) == (1, date(2024, 1, 2))
    with pytest.raises(CheckerError, match="can't be sent to a process"):
        packed(lambda: None)


@pytest.mark.parametrize(
    "answer",
    [None, [], {}, {"outcome": "good", "reason": ""}, {"outcome": "passed", "reason": 1}],
)
def test_what_is_no_verdict_is_refused(answer: object) -> None:
    with pytest.raises(ValueError, match="no verdict"):
        verdict_from_json(answer)


@pytest.mark.parametrize(
    ("code", "arrived"), [("unmeasured", "unmeasured"), ("a b", None), (1, None)]
)
def test_the_code_of_an_error_arrives_if_it_is_one(code: Any, arrived: str | None) -> None:
    verdict = Verdict("error", "no time", None, code)
    assert verdict_from_json(json.loads(json.dumps(verdict_to_json(verdict)))).code == arrived


def test_a_verdict_arrives_as_it_was() -> None:
    verdict = Verdict("failed", "expected 42", 0.5)
    assert verdict_from_json(json.loads(json.dumps(verdict_to_json(verdict)))) == verdict


@pytest.mark.parametrize(
    ("parts", "arrived"),
    [
        ({"ter": [1.0, 2.0]}, {"ter": (1.0, 2.0)}),
        ("x", None),
        ([["ter", [1.0]]], None),
        ({"ter": 7}, None),
        ({"ter": ["x"]}, None),
        ({"ter": [1]}, None),
    ],
)
def test_parts_arrive_if_they_are_some(parts: Any, arrived: Any) -> None:
    written = {**verdict_to_json(Verdict("passed", "so")), "parts": parts}
    assert verdict_from_json(written).parts == arrived
