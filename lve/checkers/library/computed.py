"""The check that evaluates an expression of the test."""

from __future__ import annotations

from typing import ClassVar, Literal

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin.lambdas import LambdaChecker
from lve.checkers.builtin_checker import Check, CheckExample
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.expression.function import EvaluationError
from lve.checkers.expression.source import as_lambda
from lve.checkers.usable_names import ArgNames
from lve.data_classes import dataclass, field
from lve.spec.spec import Spec

_BARE = "the answer is `r`; parameters and `parsed` are arguments: `lambda r, name: ...`"


@dataclass(frozen=True, slots=True)
class Expression(Check):
    """Passes if an expression about the answer is true. Works like `LambdaChecker`."""

    tier: ClassVar = "expr"
    limit_s: ClassVar[float] = 10.0
    own_templates: ClassVar[frozenset[str]] = frozenset({"expression"})

    expression: str
    """A lambda of the answer and parameters, such as `lambda r, a: int(r) == int(a) + 1`. Or an
    expression about the answer, `r`: `len(r) < 50` means `lambda r: len(r) < 50`."""
    on_error: Literal["error", "failed"] = "error"
    """What an answer is for which the expression can't be computed (no JSON, a name that isn't
    there): an error, which decides nothing, or failed, as assertions of programs are."""
    checker: LambdaChecker = field(init=False, repr=False, compare=False)

    examples: ClassVar = (
        CheckExample({"expression": "len(r.split()) <= 2"}, ("It is.",), ("It is Paris.",)),
        CheckExample({"expression": "lambda r: 'x' in r"}, ("x",), ("y",)),
        CheckExample(
            {"expression": "json.loads(r)['n'] > 2", "on_error": "failed"},
            ('{"n": 3}',),
            ('{"n": 2}', "none"),
        ),
    )

    def __post_init__(self) -> None:
        func = as_lambda(self.expression, "r, **kw")
        try:
            object.__setattr__(self, "checker", LambdaChecker(func))
        except ArgumentError as error:
            is_bare = func != self.expression.strip()
            is_name = is_bare and str(error).startswith("unknown name")
            hint = _BARE if is_name else error.hint
            raise ArgumentError("expression", str(error), hint=hint) from error

    def work(self, context: CheckContext) -> int | None:
        return self.checker.work(context)

    def check(self, context: CheckContext) -> Verdict:
        try:
            return self.checker.check(context)
        except EvaluationError as error:
            if self.on_error == "error":
                raise
            return Verdict("failed", str(error))

    def needed_names(self, spec: Spec, arg_names: ArgNames | None) -> frozenset[str]:
        return self.checker.needed_names(spec, arg_names)

    def name_errors(self, spec: Spec, arg_names: ArgNames | None) -> list[ArgumentError]:
        errors = self.checker.name_errors(spec, arg_names)
        return [ArgumentError("expression", str(error), hint=error.hint) for error in errors]
