"""Compiles a syntax tree to Python closures. Nothing is passed to `eval`.

Only syntax nodes with a method here are supported. Names are resolved when the expression is
compiled, not when it runs: a name is a variable (a place in the frame) or a function from lve's
tables. Functions and modules are not values, so an expression can't reach others.

A frame is a list: the meter, then one place per variable.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from lve.checkers.expression import functions
from lve.checkers.expression.calls import Calls
from lve.checkers.expression.meter import CONTAINERS, Meter
from lve.checkers.expression.operators import BINARY, COMPARE, UNARY, formatted
from lve.checkers.expression.scopes import UNSET, Closure, Frame
from lve.checkers.expression.source import ExpressionError, refused
from lve.suggest import did_you_mean

_CONVERSIONS: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}
_CONSTANT_TYPES = (str, int, float, bool, type(None))


class Compiler(Calls):
    """Compiles the nodes of one expression.

    Args:
        fields: marker that stands for a placeholder -> the placeholder as reasons show it.

    Attributes:
        field_places: marker -> place of the placeholder's value in the frame.
        kept: node -> place where its value is kept for the explanation.
    """

    def __init__(self, *, fields: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.fields = fields or {}
        self.field_places: dict[str, int] = {}
        self.kept: dict[ast.AST, int] = {}

    def compile(self, node: ast.AST) -> Closure:
        """Return a function of a frame that computes the node.

        Raises:
            ExpressionError: the node is outside the subset.
        """
        method = getattr(self, f"node_{type(node).__name__}", None)
        if method is None:
            raise refused(node)
        self.compiled += 1
        closure: Closure = method(node)
        place = self.kept.get(node)
        return closure if place is None else _keeping(closure, place)

    def keep(self, node: ast.AST) -> None:
        """Make the node, once compiled, store its value in the frame for the explanation."""
        self.kept[node] = self.new_place()

    def node_Constant(self, node: ast.Constant) -> Closure:
        value = node.value
        if not isinstance(value, _CONSTANT_TYPES):
            raise refused(node)
        if isinstance(value, str) and any(marker in value for marker in self.fields):
            return self._filled_text(value)
        return lambda frame: value

    def _filled_text(self, text: str) -> Closure:
        """Compile a string literal with placeholders, whose values are inserted as data."""
        pieces = re.split("(" + "|".join(self.fields) + ")", text)
        places = [self.field_place(marker) for marker in pieces[1::2]]

        def fill(frame: Frame) -> str:
            meter, texts = frame[0], list(pieces)
            texts[1::2] = [str(meter.shown(frame[place])) for place in places]
            return str(meter.made("".join(texts)))

        return fill

    def field_place(self, marker: str) -> int:
        """Return the place of a placeholder's value."""
        if marker not in self.field_places:
            self.field_places[marker] = self.new_place()
        return self.field_places[marker]

    def node_Name(self, node: ast.Name) -> Closure:
        if node.id in self.fields:
            field = self.field_place(node.id)
            return lambda frame: literal(frame[0], frame[field])
        place = self.lookup(node.id)
        if place is None:
            raise self.unknown_name(node)
        if place in self.walrus:
            return lambda frame: _assigned(frame, place, node.id)
        return lambda frame: frame[place]

    def unknown_name(self, node: ast.Name) -> ExpressionError:
        """Return the error for a name that is no variable."""
        if node.id in functions.FUNCTIONS or node.id in functions.TYPES:
            return ExpressionError(f"'{node.id}' has to be called here", column=node.col_offset + 1)
        variables = {name for scope in self.scopes for name in scope}
        hint = did_you_mean(node.id, variables) or "add it to the lambda's arguments"
        return ExpressionError(f"unknown name '{node.id}'", column=node.col_offset + 1, hint=hint)

    def node_NamedExpr(self, node: ast.NamedExpr) -> Closure:
        value = self.compile(node.value)
        place = self.lookup(node.target.id)
        if place is None:
            self.scopes[0][node.target.id] = place = self.new_place()
            self.walrus.add(place)
        return _keeping(value, place)

    def node_BoolOp(self, node: ast.BoolOp) -> Closure:
        values = [self.compile(value) for value in node.values]
        stop_at = isinstance(node.op, ast.Or)

        def combine(frame: Frame) -> object:
            result: object = None
            for value in values:
                result = value(frame)
                if bool(result) is stop_at:
                    return result
            return result

        return combine

    def node_UnaryOp(self, node: ast.UnaryOp) -> Closure:
        operand, operator = self.compile(node.operand), UNARY[type(node.op)]
        return lambda frame: operator(operand(frame))

    def node_BinOp(self, node: ast.BinOp) -> Closure:
        if type(node.op) not in BINARY:
            raise refused(node)
        left, right = self.compile(node.left), self.compile(node.right)
        operator = BINARY[type(node.op)]
        return lambda frame: operator(frame[0], left(frame), right(frame))

    def node_Compare(self, node: ast.Compare) -> Closure:
        left = self.compile(node.left)
        rights = [self.compile(comparator) for comparator in node.comparators]
        operators = [COMPARE[type(op)] for op in node.ops]
        if len(rights) == 1:
            operator, right = operators[0], rights[0]
            return lambda frame: operator(frame[0], left(frame), right(frame))

        def chain(frame: Frame) -> object:
            a = left(frame)
            result: object = True
            for operator, right in zip(operators, rights, strict=True):
                b = right(frame)
                result = operator(frame[0], a, b)
                if not result:
                    return result
                a = b
            return result

        return chain

    def node_IfExp(self, node: ast.IfExp) -> Closure:
        test, body = self.compile(node.test), self.compile(node.body)
        orelse = self.compile(node.orelse)
        return lambda frame: body(frame) if test(frame) else orelse(frame)

    def node_Subscript(self, node: ast.Subscript) -> Closure:
        value, index = self.compile(node.value), self.compile(node.slice)
        return lambda frame: frame[0].made(value(frame)[frame[0].read(index(frame))])

    def node_Slice(self, node: ast.Slice) -> Closure:
        parts = [
            (lambda frame: None) if part is None else self.compile(part)
            for part in (node.lower, node.upper, node.step)
        ]
        return lambda frame: slice(*[part(frame) for part in parts])

    def node_List(self, node: ast.List) -> Closure:
        return self._elements(node.elts)

    def node_Tuple(self, node: ast.Tuple) -> Closure:
        elements = self._elements(node.elts)
        return lambda frame: tuple(elements(frame))

    def node_Set(self, node: ast.Set) -> Closure:
        elements = self._elements(node.elts)
        return lambda frame: set(frame[0].hashed(elements(frame)))

    def _elements(self, nodes: list[ast.expr]) -> Callable[[Frame], list[object]]:
        parts = [
            (isinstance(n, ast.Starred), self.compile(n.value if isinstance(n, ast.Starred) else n))
            for n in nodes
        ]

        def collect(frame: Frame) -> list[object]:
            frame[0].charge(len(parts) + 4)
            result: list[object] = []
            for starred, part in parts:
                if starred:
                    result.extend(frame[0].iterated(part(frame)))
                else:
                    result.append(part(frame))
            return result

        return collect

    def node_Dict(self, node: ast.Dict) -> Closure:
        items = zip(node.keys, node.values, strict=True)
        parts = [
            (None if key is None else self.compile(key), self.compile(value))
            for key, value in items
        ]

        def collect(frame: Frame) -> dict[object, object]:
            frame[0].charge(2 * len(parts) + 8)
            pairs: list[tuple[object, object]] = []
            for key, value in parts:
                if key is not None:
                    pairs.append((key(frame), value(frame)))
                else:  # `**value`
                    pairs.extend(frame[0].iterated(value(frame)).items())
            frame[0].hashed([key for key, _ in pairs])
            return dict(pairs)

        return collect

    def node_JoinedStr(self, node: ast.JoinedStr) -> Closure:
        parts = [self.compile(value) for value in node.values]
        return lambda frame: frame[0].made("".join([part(frame) for part in parts]))

    def node_FormattedValue(self, node: ast.FormattedValue) -> Closure:
        value = self.compile(node.value)
        spec = self.compile(node.format_spec) if node.format_spec else lambda frame: ""
        convert: Callable[[object], str] | None = _CONVERSIONS.get(node.conversion)

        def render(frame: Frame) -> str:
            converted = value(frame)
            if convert is not None:
                converted = convert(frame[0].shown(converted))
            return formatted(frame[0], converted, spec(frame))

        return render


def literal(meter: Meter, value: object) -> object:
    """Return the value of a placeholder outside quotes: text that is a Python literal as its value,
    such as a number; other text unchanged."""
    if not isinstance(value, str) or len(value) > 400:
        return value
    meter.charge(2 * len(value) + 20)
    try:
        parsed = ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return value
    return parsed if type(parsed) in CONTAINERS or isinstance(parsed, _CONSTANT_TYPES) else value


def _keeping(closure: Closure, place: int) -> Closure:
    def keep(frame: Frame) -> object:
        frame[place] = value = closure(frame)
        return value

    return keep


def _assigned(frame: Frame, place: int, name: str) -> object:
    value = frame[place]
    if value is UNSET:
        raise ValueError(f"'{name}' is read before := has given it a value")
    return value
