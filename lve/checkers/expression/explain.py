"""Explains in words and values why an expression is true or false.

Runs after the evaluation, on the same frame, which has the operands of the deciding comparisons.
Expressions have no side effects, so other parts can be computed again; they are charged to the same
meter.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from lve.checkers.expression.meter import CONTAINERS
from lve.checkers.expression.scopes import UNSET, Closure, Frame
from lve.checkers.judging_limits import ACTIVE, LimitError
from lve.escape import excerpt, head

if TYPE_CHECKING:
    from lve.checkers.expression.compiler import Compiler

Why = Callable[[Frame, bool], str]
"""Frame and result -> the reason."""

_MAX_VALUE = 80
"""The most characters of a value in a reason."""
_SMALL = 1 << 60
"""A smaller number is short enough for a reason."""
_MAX_SOURCE = 120
"""The most characters of source code in a reason."""
_MAX_PARTS = 3
"""The most operands of `and` or `or` in a reason."""
_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}


def decisive_operands(body: ast.expr) -> Iterator[ast.expr]:
    """Yield the operands of comparisons that a reason shows, except names and constants."""
    if isinstance(body, ast.BoolOp):
        for value in body.values:
            yield from decisive_operands(value)
    elif isinstance(body, ast.Compare) and len(body.ops) == 1:
        for operand in (body.left, body.comparators[0]):
            if not isinstance(operand, ast.Name | ast.Constant):
                yield operand


class Explainer:
    """Explains one expression.

    Args:
        compiler: the one that compiled it, with the arguments in scope.
        body: the expression.
    """

    def __init__(self, compiler: Compiler, body: ast.expr) -> None:
        self._compiler = compiler
        self._body = body
        # Compiled before the first evaluation, as it reserves places in the frame.
        self._why = self._build(body)

    def explain(self, frame: Frame, result: bool) -> str:
        """Return why the expression is `result`."""
        try:
            return self._why(frame, result)
        except LimitError:
            if not ACTIVE.limits.are_final:
                raise
            return f"{self._source(self._body)} is {_word(result)}"

    def crash(self, frame: Frame, error: Exception) -> str:
        """Return the message for an exception, with a hint if there is one."""
        if isinstance(error, KeyError) and error.args:
            message = f"KeyError: {self._shown(frame, error.args[0])}"
        else:
            message = f"{type(error).__name__}: {error}"
        hint = ""
        if isinstance(error, ValueError) and "int()" in str(error):
            hint = "; `extract: int_last` beside it finds the number in a sentence"
        elif isinstance(error, ValueError) and "to float" in str(error):
            hint = "; `extract: float_last` beside it finds the number in a sentence"
        return f"the lambda can't be computed for this answer: {shown_text(message, 200)}{hint}"

    def _shown(self, frame: Frame, value: object) -> str:
        try:
            return shown(frame, value)
        except LimitError:
            return "a large value"

    def _build(self, node: ast.expr) -> Why:
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._comparison(node)
        if isinstance(node, ast.BoolOp):
            return self._bool_op(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self._build(node.operand)
            return lambda frame, result: inner(frame, not result)
        if _is_quantifier(node):
            return self._quantifier(node)
        return self._value(node)

    def _comparison(self, node: ast.Compare) -> Why:
        left, right = self._operand(node.left), self._operand(node.comparators[0])
        sign = _SIGNS[type(node.ops[0])]
        source = self._source(node)

        def why(frame: Frame, result: bool) -> str:
            values = f"{shown(frame, left(frame))} {sign} {shown(frame, right(frame))}"
            return f"{source}: {values} is {_word(result)}"

        return why

    def _operand(self, node: ast.expr) -> Closure:
        """Return a closure for an operand's value, which is computed only if it wasn't kept."""
        compute, place = self._compiler.compile(node), self._compiler.kept.get(node)
        if place is None:
            return compute

        def look(frame: Frame) -> object:
            value = frame[place]
            return compute(frame) if value is UNSET else value

        return look

    def _bool_op(self, node: ast.BoolOp) -> Why:
        parts = [(self._compiler.compile(value), self._build(value)) for value in node.values]
        is_and = isinstance(node.op, ast.And)

        def why(frame: Frame, result: bool) -> str:
            reasons = []
            for value, part in parts:
                if bool(value(frame)) is result:
                    reasons.append(part(frame, result))
                    if is_and is not result:
                        break
            rest = len(reasons) - _MAX_PARTS
            more = [f"and {rest} more"] if rest > 0 else []
            return "; ".join([*reasons[:_MAX_PARTS], *more])

        return why

    def _quantifier(self, node: Any) -> Why:
        """Explain `all(...)` and `any(...)` by the element that decides."""
        loop = node.args[0]
        names = [
            node.id
            for clause in loop.generators
            for node in ast.walk(clause.target)
            if isinstance(node, ast.Name)
        ]
        is_all = node.func.id == "all"
        source = self._source(loop.elt)
        search = self._search(loop, names)

        def why(frame: Frame, result: bool) -> str:
            if result is is_all:
                return f"{source} is {_word(is_all)} for every {', '.join(names)}"
            values, reason = next(search(frame, is_all), ((), ""))
            pairs = [f"{n} = {shown(frame, v)}" for n, v in zip(names, values, strict=False)]
            return f"for {', '.join(pairs)}: {reason}"

        return why

    def _search(
        self, loop: Any, names: list[str]
    ) -> Callable[[Frame, bool], Iterator[tuple[tuple[object, ...], str]]]:
        """Compile a second loop that yields the deciding elements with their reasons."""
        compiler = self._compiler
        inner: list[tuple[Closure, Why, list[int]]] = []

        def element() -> Callable[[Frame], object]:
            places = [place for name in names if (place := compiler.lookup(name)) is not None]
            inner.append((compiler.compile(loop.elt), self._build(loop.elt), places))
            return lambda frame: None

        turns = compiler.generator(loop.generators, element)
        closure, why, places = inner[0]

        def search(frame: Frame, is_all: bool) -> Iterator[tuple[tuple[object, ...], str]]:
            for _ in turns(frame):
                if bool(closure(frame)) is not is_all:
                    yield tuple(frame[place] for place in places), why(frame, not is_all)

        return search

    def _value(self, node: ast.expr) -> Why:
        closure, source = self._compiler.compile(node), self._source(node)

        def why(frame: Frame, result: bool) -> str:
            value = closure(frame)
            if value is result:
                return f"{source} is {_word(result)}"
            return f"{source} is {shown(frame, value)}"

        return why

    def _source(self, node: ast.AST) -> str:
        text = ast.unparse(node)
        for marker, name in self._compiler.fields.items():
            text = text.replace(marker, name)
        return shown_text(text, _MAX_SOURCE)


def shown(frame: Frame, value: Any) -> str:
    """Return a value as reasons show it: in Python's notation, shortened."""
    kind = type(value)
    if kind is int and -_SMALL < value < _SMALL:
        return repr(value)
    if isinstance(value, str):
        return repr(excerpt(value, _MAX_VALUE))
    if kind in CONTAINERS:
        frame[0].shown(value)
    elif kind.__name__ == "Match":
        return f"a match of {shown(frame, value.group())}"
    return shown_text(repr(value), _MAX_VALUE)


def shown_text(text: str, limit: int) -> str:
    """Return a text; one with more than `limit` characters is shortened to one line."""
    if len(text) <= limit:
        return text
    import textwrap  # late: few values are that long

    # Cut first: `shorten` splits the text into words, which takes a second per million words.
    return textwrap.shorten(head(text, 20 * limit), limit, placeholder="...")


def _word(result: bool) -> str:
    return "true" if result else "false"


def _is_quantifier(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("all", "any")
        and len(node.args) == 1
        and not node.keywords
        and isinstance(node.args[0], ast.GeneratorExp | ast.ListComp)
    )
