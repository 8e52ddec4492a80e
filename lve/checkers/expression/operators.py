"""Operators that pay for what they make or look at."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from lve.checkers.expression.functions import power
from lve.checkers.expression.limits import CONTAINERS, Meter, check_format

_SCALARS = frozenset({int, float, bool, type(None)})
_SEQUENCES = (str, list, tuple)
_LONG = 512
"""Characters from which comparing texts is worth a charge."""


def _plain(function: Callable[[Any, Any], Any]) -> Callable[[Meter, Any, Any], Any]:
    def apply(meter: Meter, left: Any, right: Any) -> Any:
        result = function(left, right)
        return result if type(result) is float else meter.made(result)

    return apply


def _multiply(meter: Meter, left: Any, right: Any) -> Any:
    sequence, times = (left, right) if isinstance(left, _SEQUENCES) else (right, left)
    if isinstance(sequence, _SEQUENCES) and isinstance(times, int):
        length = len(sequence) * max(0, times)
        if isinstance(sequence, str):
            meter.text_size(length)
        else:
            meter.charge(length)
        return left * right
    return meter.made(left * right)


def _modulo(meter: Meter, left: Any, right: Any) -> Any:
    if isinstance(left, str):
        for spec in re.findall(r"%[^a-zA-Z%]*", left):
            check_format(spec)
            if "*" in spec:
                raise TypeError("'*' in a % format; use an f-string")
        meter.read(right)
    return meter.made(left % right)


def _shift_left(meter: Meter, left: int, right: int) -> Any:
    if isinstance(left, int) and isinstance(right, int) and left:
        meter.int_size(left.bit_length() + max(0, right))
    return left << right


BINARY: dict[type[ast.operator], Callable[[Meter, Any, Any], Any]] = {
    ast.Add: _plain(operator.add),
    ast.Sub: _plain(operator.sub),
    ast.Mult: _multiply,
    ast.Div: _plain(operator.truediv),
    ast.FloorDiv: _plain(operator.floordiv),
    ast.Mod: _modulo,
    ast.Pow: power,
    ast.LShift: _shift_left,
    ast.RShift: _plain(operator.rshift),
    ast.BitAnd: _plain(operator.and_),
    ast.BitOr: _plain(operator.or_),
    ast.BitXor: _plain(operator.xor),
}

UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}


def _charged(function: Callable[[Any, Any], Any]) -> Callable[[Meter, Any, Any], Any]:
    def compare(meter: Meter, left: Any, right: Any) -> Any:
        if type(left) is str:
            if len(left) > _LONG:
                meter.read(left)
        elif type(left) in CONTAINERS and type(right) in CONTAINERS:
            meter.read(left)
            meter.read(right)
        return function(left, right)

    return compare


def _contains(meter: Meter, left: Any, right: Any) -> bool:
    kind = type(right)
    if kind is str:
        if len(right) > _LONG:
            meter.searched(right)
    elif kind in CONTAINERS:
        if kind is list or kind is tuple or type(left) in CONTAINERS:
            meter.read(right)
        if type(left) not in _SCALARS:
            meter.read(left)
    elif kind is not range:
        raise TypeError(f"nothing can be `in` a value of type {kind.__name__}")
    elif type(left) not in _SCALARS:
        return False
    return left in right


def _lacks(meter: Meter, left: Any, right: Any) -> bool:
    return not _contains(meter, left, right)


COMPARE: dict[type[ast.cmpop], Callable[[Meter, Any, Any], Any]] = {
    ast.Eq: _charged(operator.eq),
    ast.NotEq: _charged(operator.ne),
    ast.Lt: _charged(operator.lt),
    ast.LtE: _charged(operator.le),
    ast.Gt: _charged(operator.gt),
    ast.GtE: _charged(operator.ge),
    ast.Is: lambda meter, left, right: left is right,
    ast.IsNot: lambda meter, left, right: left is not right,
    ast.In: _contains,
    ast.NotIn: _lacks,
}
