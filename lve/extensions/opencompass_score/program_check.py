"""The check that runs a model's program and its tests in the sandbox."""

from __future__ import annotations

from typing import ClassVar, Literal

from lve.checkers.answer_selection import NO_REFERENCE
from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.child.child_process import Child, ChildEndedError
from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.extensions.opencompass_score.programs import PROGRAMS, Program
from lve.extensions.opencompass_score.score import steps
from lve.sandbox.rights import Sandbox

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
