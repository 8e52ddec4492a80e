"""A checker's lambda, which is compiled once, evaluated for every answer, and explains itself."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from lve.checkers.expression.compiler import Compiler
from lve.checkers.expression.explain import Explainer, decisive_operands
from lve.checkers.expression.meter import Meter
from lve.checkers.expression.scopes import UNSET, Frame
from lve.checkers.expression.source import ExpressionError, parse_lambda
from lve.errors import CheckerError
from lve.prompts.fill import Placeholder, parse_template

_CRASHES = (
    *(ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, StopIteration),
    *(TypeError, ValueError),
)
"""Exceptions that operations of an expression can raise."""


class EvaluationError(CheckerError, code="expression_failed"):
    """The expression can't be evaluated for these values."""


class Function:
    """A lambda in the bounded subset of Python.

    Attributes:
        first: name of the argument that takes the response.
        required: names of further arguments without a default.
        accepted: names of all further arguments.
        rest: name of `**rest`, or None.
        body: what it computes, before it is compiled.
    """

    def __init__(self, source: str, *, is_template: bool = False) -> None:
        """Compile `source`.

        Args:
            source: `lambda r, a, b: int(r) == int(a) + int(b)`.
            is_template: whether `{name}` is a placeholder and `{{` a brace.

        Raises:
            ExpressionError: the lambda is outside the subset.
            PlaceholderError: a placeholder is malformed.
        """
        self.placeholders: dict[str, Placeholder] = {}
        text = self._without_placeholders(source) if is_template else source
        tree = parse_lambda(text)
        self._check_arguments(tree.args)
        self._compiler = Compiler(
            fields={marker: f"{{{p.name}}}" for marker, p in self.placeholders.items()}
        )
        self._bind_arguments(tree.args)
        for operand in decisive_operands(tree.body):
            self._compiler.keep(operand)
        self.body = tree.body
        self._body = self._compiler.compile(tree.body)
        self._explainer = Explainer(self._compiler, tree.body)
        self.required = tuple(name for name, _, default in self._parameters if default is None)
        self.needed = frozenset((*self.required, *(p.name for p in self.placeholders.values())))
        self.accepted = tuple(name for name, _, _ in self._parameters)

    def _without_placeholders(self, source: str) -> str:
        """Replace each placeholder by a name, so that its value can't become source code."""
        parts = []
        for segment in parse_template(source).segments:
            if isinstance(segment, str):
                parts.append(segment)
            else:
                # All markers have the same length, so none is the beginning of another.
                marker = f"lve_placeholder_{len(self.placeholders):04}_"
                self.placeholders[marker] = segment
                parts.append(marker)
        return "".join(parts)

    def _check_arguments(self, arguments: ast.arguments) -> None:
        if arguments.vararg is not None:
            raise ExpressionError(
                f"*{arguments.vararg.arg} can't be used: parameters are passed by name",
                hint="name them, or take the rest with **rest",
            )
        if not (arguments.posonlyargs or arguments.args):
            raise ExpressionError(
                "the lambda takes no argument",
                hint="its first one is the response: `lambda r: ...`",
            )

        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        names += [arguments.kwarg.arg] if arguments.kwarg else []
        for name in names:
            if names.count(name) > 1:
                raise ExpressionError(f"the lambda has two arguments '{name}'")

    def _bind_arguments(self, arguments: ast.arguments) -> None:
        positional = [*arguments.posonlyargs, *arguments.args]
        missing = len(positional) - len(arguments.defaults)
        defaults = [None] * missing + list(arguments.defaults)
        declarations = list(zip(positional, defaults, strict=True))
        declarations += list(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
        # Defaults are compiled first, as they can't use the arguments.
        compiled = [None if d is None else self._compiler.compile(d) for _, d in declarations]
        places = [self._compiler.declare(argument.arg) for argument, _ in declarations]
        self.first = declarations[0][0].arg
        self._parameters = [
            (argument.arg, place, default)
            for (argument, _), place, default in zip(
                declarations[1:], places[1:], compiled[1:], strict=True
            )
        ]
        self.rest = arguments.kwarg.arg if arguments.kwarg else None
        self._rest_place = self._compiler.declare(self.rest) if self.rest else 0

    def evaluate(self, response: object, values: Mapping[str, object]) -> tuple[bool, str]:
        """Evaluate the lambda.

        Args:
            response: the first argument.
            values: name -> value of the further arguments and the placeholders.

        Returns:
            Whether the result is true, and the reason.

        Raises:
            EvaluationError: it can't be evaluated for these values.
            LimitError: it takes too much time or memory.
        """
        frame = self._frame(response, values)
        try:
            result = bool(self._body(frame))
            return result, self._explainer.explain(frame, result)
        except CheckerError:
            raise
        except _CRASHES as error:
            raise EvaluationError(self._explainer.crash(frame, error)) from error

    def _frame(self, response: object, values: Mapping[str, object]) -> Frame:
        frame: Frame = [UNSET] * self._compiler.size
        frame[0] = Meter()
        frame[1] = response
        for name, place, default in self._parameters:
            if name in values:
                frame[place] = values[name]
            elif default is not None:
                frame[place] = default(frame)
            else:
                raise EvaluationError(
                    f"the lambda's argument '{name}' has no value"
                    f" (given: {', '.join(values) or 'none'})"
                )
        if self._rest_place:
            bound = {*self.accepted, self.first}
            frame[self._rest_place] = {k: v for k, v in values.items() if k not in bound}
        for marker, place in self._compiler.field_places.items():
            frame[place] = self._placeholder_value(marker, values)
        return frame

    def _placeholder_value(self, marker: str, values: Mapping[str, object]) -> object:
        placeholder = self.placeholders[marker]
        is_plain = not (placeholder.indexes or placeholder.conversion or placeholder.spec)
        if is_plain and placeholder.name in values:
            return values[placeholder.name]
        return placeholder.value(values, [0])
