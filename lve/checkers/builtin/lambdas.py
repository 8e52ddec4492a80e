"""Checkers that evaluate a lambda of the test, in a bounded subset of Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from lve.checkers.arguments import ArgumentError, first_errors
from lve.checkers.builtin_checker import BuiltinChecker, PerRunChecker, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.expression.function import Function
from lve.checkers.expression.source import ExpressionError
from lve.checkers.extract.first_or_last_number import Extract, extract_number, no_number_reason
from lve.checkers.usable_names import REFERENCE, ArgNames, answer_names
from lve.data_classes import dataclass, field
from lve.errors import PlaceholderError
from lve.extension_table import extension_part
from lve.spec.check_names import RETURNED
from lve.spec.spec import Spec

PARSED = "parsed"
"""A lambda's argument of this name gets the JSON value of the answer, if the test wants JSON."""


def _compiled(func: str) -> Function:
    try:
        return Function(func, is_template=True)
    except ExpressionError as error:
        raise ArgumentError("func", str(error), hint=error.hint) from error
    except PlaceholderError as error:
        raise ArgumentError("func", str(error)) from error


def _values(context: CheckContext) -> Mapping[str, object]:
    """Return name -> value for the lambda's arguments and placeholders; null args are left out."""
    values = {**context.args, **context.parameters}
    if None in values.values():
        values = {
            name: value
            for args in (context.args, context.parameters)
            for name, value in args.items()
            if value is not None
        }
    if context.reference is not None:
        values.setdefault(REFERENCE, context.reference)
    if context.is_parsed:
        values.setdefault(PARSED, context.parsed)
    return values


@dataclass(frozen=True, slots=True)
class _LambdaBase(BuiltinChecker):
    """Base of checkers that evaluate a lambda."""

    limit_s: ClassVar[float] = 10.0
    tier: ClassVar = "expr"
    own_templates: ClassVar[frozenset[str]] = frozenset({"func"})

    func: str
    """The lambda: `lambda r, a, b: int(r) == int(a) + int(b)`; for several runs
    `lambda rs, a: all(int(r) == int(a) for r in rs)`."""
    extract: Extract | None = None
    """Passes the first or last number of a response to the lambda, instead of its text."""
    function: Function = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "function", _compiled(self.func))

    def work(self, context: CheckContext) -> int:
        """Return the work of extracting numbers. The expression has its own meter, which stops
        it."""
        return 0 if self.extract is None else 20 * sum(map(len, context.responses))

    def name_errors(self, spec: Spec, arg_names: ArgNames | None) -> list[ArgumentError]:
        return _argument_errors(self.function, spec, arg_names)

    def needed_names(self, spec: Spec, arg_names: ArgNames | None) -> frozenset[str]:
        names = self.function.needed - {PARSED, *RETURNED}
        names |= {
            name for name in RETURNED & self.function.needed if arg_names and name in arg_names
        }
        if names:  # otherwise it need not read the prompts, half of what `lve check` does
            answers = answer_names(spec)
            names = frozenset(
                n for n in names if (arg_names and n in arg_names) or not answers.is_turn(n)
            )
        return names

    def compute(self, value: object, context: CheckContext) -> Verdict:
        """Return the lambda's verdict.

        Args:
            value: the lambda's first argument: a response, a number, or a list of these.
            context: has the values of its further arguments.
        """
        values = _values(context)
        if not values.keys() >= self.function.needed and len(context.transcripts) == 1:
            values = {**context.returned, **context.variables, **values}
        good, reason = self.function.evaluate(value, values)
        return Verdict("passed" if good else "failed", reason)


@dataclass(frozen=True, slots=True)
class LambdaChecker(_LambdaBase, PerRunChecker):
    """Passes if a lambda of the response and the parameters is true."""

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        if self.extract is None:
            return self.compute(response, context)
        number = extract_number(response, self.extract)
        if number is None:
            return judged(False, no_number_reason(response, self.extract))
        return self.compute(number, context)


@dataclass(frozen=True, slots=True)
class MultiRunLambdaChecker(_LambdaBase):
    """Passes if a lambda of all runs' responses (a list) and the parameters is true."""

    compares_answers: ClassVar[bool] = True

    def check(self, context: CheckContext) -> Verdict:
        if self.extract is None:
            return self.compute(list(context.responses), context)
        numbers = [extract_number(text, self.extract) for text in context.responses]
        if None in numbers:
            run = numbers.index(None)
            reason = no_number_reason(context.responses[run], self.extract)
            return judged(False, f"run {run + 1} of {len(numbers)}: {reason}")
        return self.compute(numbers, context)


def _argument_errors(
    function: Function, spec: Spec, arg_names: ArgNames | None
) -> list[ArgumentError]:
    """Return the errors in the names of a lambda's arguments and placeholders.

    Args:
        function: the lambda.
        spec: the test.
        arg_names: names that instances can have; None if they are unknown.
    """
    errors = []
    named = dict.fromkeys(spec.parameters, "a parameter")
    named |= {PARSED: "its JSON value"} if spec.output_schema else {}
    if what := named.get(function.first):
        text = f"the lambda's first argument is the response, and '{function.first}' is {what}"
        hint = f"write `lambda r, {function.first}: ...`"
        errors.append(ArgumentError("func", text, hint=hint))
    if arg_names is None:
        return errors
    names = [p.name for p in function.placeholders.values()]
    errors += first_errors(
        ArgumentError(
            "func",
            f"{{{n}}} names no {arg_names.noun}, and no turn's variable",
            code="unknown_variable",
        )
        for n in dict.fromkeys(names)
        if n not in arg_names and not arg_names.is_late(n)
    )
    has_json = spec.prompt_object is not None or spec.output_schema is not None
    further = {REFERENCE, PARSED, *RETURNED} if has_json else {REFERENCE, *RETURNED}
    others = [n for n in function.required if n not in arg_names and n not in further]
    is_turn = answer_names(spec).is_turn if others else bool  # reads the prompts
    errors += first_errors(
        ArgumentError(
            "func",
            f"the lambda's argument '{name}' is no {arg_names.noun}, and no turn's variable",
            hint=arg_names.hint(name, spec.parameters),
        )
        for name in others
        if not is_turn(name)
    )
    if spec.output_schema and PARSED in function.accepted and PARSED not in arg_names:
        errors += first_errors(extension_part("parsed answer")(function.body, spec, PARSED))
    return errors
