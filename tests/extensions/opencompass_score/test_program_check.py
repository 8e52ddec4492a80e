"""Programs and how their tests end are upstream's (tests/cases/opencompass_program)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lve.checkers.arguments import ArgumentError, build
from lve.checkers.contract import CheckContext
from lve.errors import CheckerError
from lve.extensions.opencompass_score.program_check import (
    PROGRAMS,
    OpencompassProgram,
    mbpp_program,
)
from lve.extensions.opencompass_score.program_child import answer, same, with_types
from lve.messages import Completion, Message, Role, Transcript

VECTORS = json.loads(
    (Path(__file__).parents[2] / "cases" / "opencompass_program" / "vectors.json").read_text()
)
ENDED = ("while True", "os._exit")
"""What needs a process that can be ended."""
IN_PROCESS = [v for v in VECTORS if not any(text in v["answer"] for text in ENDED)]
ADD = "def add(a, b):\n    return a + b"
TESTS = "assert add(1, 2) == 3"


def judged(text: str, reference: object = TESTS, **more: Any) -> tuple[str, str]:
    """Return outcome and reason of an answer."""
    check = build(OpencompassProgram, {"opencompass_program": "MBPPEvaluator", **more})
    messages = (Message("?"), Message(text, Role.assistant))
    runs = (Transcript(messages, (Completion(text),), None, (1,)),)
    verdict = check.check(CheckContext(runs, {}, reference))
    return verdict.outcome, verdict.reason


def test_programs_are_upstreams() -> None:
    taken = [(mbpp_program(v["answer"]), v["program"]) for v in VECTORS if v["program"] is not None]
    assert len(taken) > 35
    assert [pair for pair in taken if pair[0] != pair[1]] == []


def test_tests_end_as_upstreams() -> None:
    differing = []
    for vector in IN_PROCESS:
        evaluator = PROGRAMS[vector["evaluator"]]
        program = evaluator.program(vector["answer"], vector["reference"], vector["row"])
        said = answer({"program": program.text, "tests": program.tests})
        if said["passed"] != vector["passed"]:
            differing.append((vector, said))
    assert differing == []
    assert 15 < sum(vector["passed"] for vector in IN_PROCESS) < len(IN_PROCESS) - 10


def test_a_program_runs_in_the_sandbox() -> None:
    assert judged(f"```python\n{ADD}\n```") == ("passed", "the program passes its tests")
    assert judged(ADD, {"test_list_2": TESTS, "task_id": 1})[0] == "passed"
    assert judged(ADD, ["assert add(1, 1) == 2", TESTS])[0] == "passed"
    outcome, reason = judged("def add(a, b): return a - b")
    assert (outcome, reason) == ("failed", "the program fails: AssertionError: ")
    home = Path(__file__)
    outcome, reason = judged(f"open({str(home)!r}, 'a')")
    assert outcome == "failed"
    assert "PermissionError" in reason


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("def add(a, b):\n    while True: pass", "was ended"),
        ("import os\nos._exit(0)", "was ended"),
        ("x = bytearray(10**10)", "fails: MemoryError"),
        ("import socket\nsocket.create_connection(('127.0.0.1', 9))", "fails: "),
    ],
)
def test_what_never_ends_or_may_not_be_fails(program: str, why: str) -> None:
    outcome, reason = judged(program, timeout_s=1)
    assert outcome == "failed"
    assert why in reason


def test_a_row_without_tests_is_told() -> None:
    with pytest.raises(CheckerError, match="no text in its column 'prompt'"):
        judged(ADD, opencompass_program="HumanEvalEvaluator")
    with pytest.raises(CheckerError, match="no right answer"):
        judged(ADD, None)


@pytest.mark.parametrize(
    "reference", ["", [], "# add(1, 2) == 3", 5, {"task_id": 1}, {"test_list_2": []}, "x = 3"]
)
def test_tests_that_cant_fail_are_an_error(reference: object) -> None:
    with pytest.raises(CheckerError, match="right answer has no tests: every program would pass"):
        judged(ADD, reference)


def test_a_function_of_tests_that_cant_fail_is_an_error() -> None:
    row = {"prompt": "def f():\n", "test": "def check(candidate):\n    pass", "entry_point": "f"}
    with pytest.raises(CheckerError, match="column 'test' has no tests"):
        PROGRAMS["HumanEvalEvaluator"].program("    return 1", "", row)


def test_asserts_hold_where_python_leaves_them_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    assert judged("def add(a, b): return 0")[0] == "failed"
    assert judged(ADD)[0] == "passed"


@pytest.mark.parametrize("more", [{"timeout_s": 0}, {"timeout_s": 31}, {"pred_postprocessor": "x"}])
def test_wrong_arguments_are_told(more: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError) as caught:
        judged(ADD, **more)
    assert caught.value.argument in more


def test_equal_values_have_one_type() -> None:
    assert same({1: [1, (2, {3})]}, {1: [1, (2, {3})]})
    assert not same({1: [1, (2, {3})]}, {1: [1, (2, {3.0})]})
    assert not same(1, True)
    assert not same([1], [1, 2])
    assert not same({1: 2}, {1: 3})
    assert with_types("not python =") == "not python ="
