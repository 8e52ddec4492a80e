"""Operators and formatting, charged for what they make or read."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from lve.checkers.expression.arithmetic import DIGITS_COST, NUMBERS, power
from lve.checkers.expression.meter import CONTAINERS, Meter, widths_of

_SCALARS = frozenset({int, float, bool, type(None)})
_SEQUENCES = (str, list, tuple)
_LONG = 512
"""Comparing texts with more characters is charged."""
_SEARCHED = 64
"""Searching texts with more characters is charged."""
_FORMAT_COST = 2
_PERCENT = re.compile(r"%(?P<key>\([^()]*\))?(?P<spec>[^a-zA-Z%]*)")
_Function = Callable[[Any, Any], Any]
"""A function of the module `operator`."""
Operator = Callable[[Meter, Any, Any], object]
"""The meter, then the two operands."""


def _plain(function: _Function) -> Operator:
    def apply(meter: Meter, left: object, right: object) -> object:
        result = function(left, right)
        return result if type(result) is float else meter.made(result)

    return apply


def _multiply(meter: Meter, left: Any, right: Any) -> object:
    sequence, times = (left, right) if isinstance(left, _SEQUENCES) else (right, left)
    if isinstance(sequence, _SEQUENCES) and isinstance(times, int):
        length = len(sequence) * max(0, times)
        if isinstance(sequence, str):
            meter.text_size(length)
        else:
            meter.charge(length)
        return left * right
    for value in (left, right):
        if type(value) not in NUMBERS and hasattr(value, "__len__"):
            raise TypeError(f"a value of type {type(value).__name__} can't be multiplied")
    return meter.made(left * right)


def _divided(function: _Function) -> Operator:
    def divide(meter: Meter, left: object, right: object) -> object:
        meter.charge(2)
        return meter.made(function(meter.read(left), meter.read(right)))

    return divide


_remainder = _divided(operator.mod)


def _modulo(meter: Meter, left: object, right: object) -> object:
    if type(left) is str:
        return _percent_format(meter, left, right)
    if type(left) not in NUMBERS and hasattr(left, "__len__"):
        raise TypeError(f"% has no meaning for a value of type {type(left).__name__}")
    return _remainder(meter, left, right)


def _percent_format(meter: Meter, template: str, values: object) -> str:
    """Return `template % values`.

    Raises:
        TypeError: the length of the text can't be predicted from the template.
        LimitError: the text would be too long.
    """
    specs = list(_PERCENT.finditer(template))
    size = len(template)
    for match in specs:
        spec = match["spec"]
        if "(" in spec:
            raise TypeError("a key with brackets in a % format")
        if "*" in spec:
            raise TypeError("'*' in a % format; use an f-string")
        size += sum(widths_of(spec))
    meter.charge(len(specs) * (DIGITS_COST // 3))
    # A dict's values can be used several times, those of a tuple once.
    size += meter.size_shown(values) * (len(specs) if type(values) is dict else 1)
    meter.text_size(size)
    return str(meter.made(template % values))


def _merged(function: _Function) -> Operator:
    """Return a metered operator for sets, dicts and integers."""

    def merge(meter: Meter, left: object, right: object) -> object:
        meter.read(left)
        meter.read(right)
        result = meter.made(function(left, right))
        if type(result) in CONTAINERS:
            meter.hashed(list(result))
        return result

    return merge


def _shift_left(meter: Meter, left: int, right: int) -> object:
    if isinstance(left, int) and isinstance(right, int) and left:
        meter.int_size(left.bit_length() + max(0, right))
    return left << right


_difference = _merged(operator.sub)
_minus = _plain(operator.sub)


def _subtract(meter: Meter, left: object, right: object) -> object:
    return (_difference if type(left) in CONTAINERS else _minus)(meter, left, right)


BINARY: dict[type[ast.operator], Operator] = {
    ast.Add: _plain(operator.add),
    ast.Sub: _subtract,
    ast.Mult: _multiply,
    ast.Div: _divided(operator.truediv),
    ast.FloorDiv: _divided(operator.floordiv),
    ast.Mod: _modulo,
    ast.Pow: power,
    ast.LShift: _shift_left,
    ast.RShift: _plain(operator.rshift),
    ast.BitAnd: _merged(operator.and_),
    ast.BitOr: _merged(operator.or_),
    ast.BitXor: _merged(operator.xor),
}

UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}


def _charged(function: _Function) -> Operator:
    def compare(meter: Meter, left: object, right: object) -> object:
        if type(left) is str:
            if len(left) > _LONG:
                meter.read(left)
        elif type(left) in CONTAINERS and type(right) in CONTAINERS:
            meter.read(left)
            meter.read(right)
        elif type(left) is bytes:
            meter.read(left)
        return function(left, right)

    return compare


def _contains(meter: Meter, left: Any, right: Any) -> bool:
    kind = type(right)
    if kind is str:
        if len(right) > _SEARCHED:
            meter.searched(right, left if type(left) is str else "")
    elif kind in CONTAINERS:
        if kind is list or kind is tuple or type(left) in CONTAINERS:
            meter.read(right)
        if type(left) not in _SCALARS:
            meter.read(left)
    elif kind is not range:
        raise TypeError(f"nothing can be `in` a value of type {kind.__name__}")
    else:
        return _in_range(left, right)
    return left in right


def _in_range(value: object, numbers: range) -> bool:
    """Return whether a range contains a value. Python computes that only for integers; for other
    values it iterates over the whole range."""
    if type(value) is float:
        return value.is_integer() and int(value) in numbers
    return type(value) in NUMBERS and value in numbers


COMPARE: dict[type[ast.cmpop], Operator] = {
    ast.Eq: _charged(operator.eq),
    ast.NotEq: _charged(operator.ne),
    ast.Lt: _charged(operator.lt),
    ast.LtE: _charged(operator.le),
    ast.Gt: _charged(operator.gt),
    ast.GtE: _charged(operator.ge),
    ast.Is: lambda meter, left, right: left is right,
    ast.IsNot: lambda meter, left, right: left is not right,
    ast.In: _contains,
    ast.NotIn: lambda meter, left, right: not _contains(meter, left, right),
}


def formatted(meter: Meter, value: object, spec: str) -> str:
    """Return `format(value, spec)`.

    Raises:
        LimitError: the text would be too long.
    """
    meter.charge(_FORMAT_COST)
    if spec:
        meter.charge(_FORMAT_COST + (sum(widths_of(spec)) >> 6))
        if type(value) is float and not 1e-15 < abs(value) < 1e15:
            meter.charge(DIGITS_COST)
    return str(meter.made(format(meter.shown(value), spec)))
