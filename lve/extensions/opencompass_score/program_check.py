"""The check that runs in the sandbox the program that upstream makes of an answer."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

from lve.checkers.answer_selection import NO_REFERENCE
from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.child.child_process import Child, ChildEndedError
from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.extensions.opencompass_score.score import steps
from lve.named_tuples import NamedTuple
from lve.sandbox.rights import Sandbox

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


CHILD = "lve.extensions.opencompass_score.program_child"
MEMORY_BYTES = 2_000_000_000
START_S = 30.0
MAX_S = 30.0


@dataclass(frozen=True, slots=True)
class OpencompassProgram(AnswerCheck):
    """Passes if the answer is a Python program that passes the row's tests, as HumanEval and MBPP
    run them in OpenCompass.

    It runs in the sandbox, without network and keys, and fails at its time limit. As the tests are
    code, too, the test has to be trusted: `--trust`. A program that wants to can cheat.
    """

    needs_reference: ClassVar[bool] = True
    needs_model: ClassVar[bool] = True
    limit_s: ClassVar[float] = START_S + MAX_S + 5
    tier: ClassVar = "code"

    opencompass_program: Literal["HumanEvalEvaluator", "MBPPEvaluator", "MBPPPassKEvaluator"]
    """The name of the evaluator. HumanEval needs the columns `prompt`, `test` and `entry_point`;
    MBPP's right answers are its tests."""
    pred_postprocessor: object = None
    """The function for the answer, as in `opencompass_score`."""
    timeout_s: float | None = None
    """Seconds for the program and its tests, at most 30; by default 3 for HumanEval, 9 for MBPP."""

    examples: ClassVar = (
        CheckExample(
            {
                "opencompass_program": "HumanEvalEvaluator",
                "pred_postprocessor": "humaneval_postprocess_v2",
            }
        ),
    )

    def __post_init__(self) -> None:
        if self.timeout_s is not None and not 0 < self.timeout_s <= MAX_S:
            raise ArgumentError("timeout_s", f"'timeout_s' is above 0 and at most {MAX_S:g}")
        for _ in steps("pred_postprocessor", self.pred_postprocessor):
            pass

    def work_on(self, length: int, context: CheckContext) -> int | None:
        return None

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        if context.reference is None:
            raise CheckerError(NO_REFERENCE, code="missing_reference")
        evaluator = PROGRAMS[self.opencompass_program]
        for step in steps("pred_postprocessor", self.pred_postprocessor):
            response = str(step(response))
        program = evaluator.program(response, context.reference, context.parameters)
        why = why_failed(program, self.timeout_s or evaluator.timeout_s)
        return judged(why is None, f"the program {'passes its tests' if why is None else why}")


def why_failed(program: Program, timeout_s: float) -> str | None:
    """Run a program and its tests, and return what is wrong with it; None if nothing is.

    Raises:
        CheckerError: there is no process in a sandbox.
    """
    try:
        child = Child(CHILD, shortest_s=0.1, sandbox=Sandbox(), memory_bytes=MEMORY_BYTES)
    except OSError as error:
        raise CheckerError(f"no process can be started: {error}", code="checker_process") from None
    try:
        try:
            child.ask({}, timeout_s=START_S)
        except ChildEndedError as error:
            raise CheckerError(str(error), code="checker_process") from None
        try:
            said = child.ask({"program": program.text, "tests": program.tests}, timeout_s=timeout_s)
        except ChildEndedError as error:
            return f"was ended: {error}"
    finally:
        child.end()
    return None if said.get("passed") is True else f"fails: {said.get('why', '')}"
