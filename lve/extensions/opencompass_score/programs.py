"""The programs that upstream makes of answers, and their tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from lve.errors import CheckerError
from lve.named_tuples import NamedTuple

_MARKED = tuple(
    rf"{begin}\s*{inner}\s*{end}"
    for inner in ("'(.*)'", "'(.*)", "(.*)")
    for end in (r"\[DONE\]", "DONE")
    for begin in (r"\[BEGIN\]", "BEGIN")
)
_FENCED = tuple(
    rf"{fence}\s*(.*)\s*{end}" for end in ("```", "$") for fence in ("```python", "```")
)
_HALF = (r"(.*)\s*```.*", r"\[BEGIN\]\s*'(.*)", r"\[BEGIN\](.*)", r"'(.*)'\s*\[DONE\]")
_MBPP = tuple(re.compile(pattern, re.DOTALL) for pattern in (*_MARKED, *_FENCED, *_HALF))
"""Where MBPP's answers have their program; the first pattern that fits counts."""


class Program(NamedTuple):
    """What runs."""

    text: str
    tests: str = ""
    """What runs after it; equal values must be of one type."""


class ProgramEvaluator(NamedTuple):
    """An evaluator of upstream that runs answers."""

    program: Callable[[str, object, Mapping[str, Any]], Program]
    """The answer, the right one, and the row -> what runs."""
    timeout_s: float


def human_eval(answer: str, reference: object, row: Mapping[str, Any]) -> Program:
    """Return the function of the prompt with its body, and the call of its tests.

    Raises:
        CheckerError: the row has no tests.
    """
    prompt, test, name = (_text(row, column) for column in ("prompt", "test", "entry_point"))
    _must_test(test, "the row's column 'test'")
    return Program(f"{prompt}{answer}\n{test}\ncheck({name})")


def mbpp(answer: str, reference: object, row: Mapping[str, Any]) -> Program:
    """Return the program between `[BEGIN]` and `[DONE]` or in a fence, and the row's tests.

    Raises:
        CheckerError: the row has no tests.
    """
    tests = reference.get("test_list_2", "") if isinstance(reference, Mapping) else reference
    text = "\n".join(map(str, tests)) if isinstance(tests, list | tuple) else str(tests)
    _must_test(text, "the row's right answer")
    return Program(mbpp_program(answer), text)


def mbpp_program(answer: str) -> str:
    """Return the program of an answer."""
    place = next((found for each in _MBPP if (found := each.search(answer))), None)
    text = (place[1] if place else answer).split("```")[0]
    return re.split(r"'?\s*\[?DONE\]?", text)[0].replace("\\_", "_").strip()


def _must_test(tests: str, where: str) -> None:
    """Raise a `CheckerError` if tests can't fail: any program, and none, would pass them.

    Tests that are no Python fail upstream, as here.
    """
    try:
        nodes = ast.walk(ast.parse(tests))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    if not any(isinstance(node, ast.Assert | ast.Call | ast.Raise) for node in nodes):
        message = f"{where} has no tests: every program would pass. It needs lines with `assert`"
        raise CheckerError(message, code="argument_of_row")


def _text(row: Mapping[str, Any], column: str) -> str:
    value = row.get(column)
    if not isinstance(value, str):
        message = f"the row has no text in its column {column!r}, which the tests need"
        raise CheckerError(message, code="argument_of_row")
    return value


PROGRAMS: Mapping[str, ProgramEvaluator] = {
    "HumanEvalEvaluator": ProgramEvaluator(human_eval, 3.0),
    "MBPPEvaluator": ProgramEvaluator(mbpp, 9.0),
    "MBPPPassKEvaluator": ProgramEvaluator(mbpp, 9.0),
}
"""Name of an evaluator -> the evaluator."""
