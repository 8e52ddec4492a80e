"""Operators of configurations, whose results are bounded."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from lve.extensions.importing.opencompass.functions import with_percent
from lve.extensions.importing.opencompass.work import NotDataError, Work

_COMPARE: Mapping[type, Callable[[Any, Any], object]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_NUMBERS: Mapping[type, Callable[[Any, Any], object]] = {
    ast.Sub: operator.sub,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.BitOr: operator.or_,
}


class Operations:
    """Applies operators."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def combined(self, op: ast.operator, left: Any, right: Any) -> object:
        """Return `left op right`.

        Raises:
            NotDataError: it is too large, or isn't supported.
        """
        sizes = [len(v) for v in (left, right) if isinstance(v, str | list | tuple | dict)]
        match op:
            case ast.Add():
                self.count(left, sum(sizes))
                return self.work.number(left + right)
            case ast.Mult():
                if sizes:
                    times = next(v for v in (left, right) if isinstance(v, int))
                    self.count(left if times is right else right, sizes[0] * max(times, 0))
                return self.work.number(left * right)
            case ast.Mod() if isinstance(left, str):
                return with_percent(self.work, left, right)
            case ast.Mod():
                return left % right
            case ast.Pow():
                if abs(left) > 2**64 or abs(right) > 64:
                    raise NotDataError("a power is too large")
                return self.work.number(left**right)
        if type(op) not in _NUMBERS:
            raise NotDataError(f"{type(op).__name__} isn't supported")
        self.work.step(sum(sizes))
        return _NUMBERS[type(op)](left, right)

    def count(self, value: object, size: int) -> None:
        """Count a text or a list of a size before it is put together."""
        if isinstance(value, str):
            self.work.text(size)
        else:
            self.work.step(size)

    def signed(self, op: ast.unaryop, value: Any) -> object:
        """Return `op value`."""
        match op:
            case ast.Not():
                return not value
            case ast.USub():
                return -value
            case ast.UAdd():
                return +value
        raise NotDataError("~ isn't supported")

    def holds(self, op: ast.cmpop, left: Any, right: Any) -> bool:
        """Return whether `left op right` holds."""
        match op:
            case ast.Eq() | ast.NotEq():
                return self.work.equal(left, right) is isinstance(op, ast.Eq)
            case ast.Is() | ast.IsNot():
                return (left is right) is isinstance(op, ast.Is)
            case ast.In() | ast.NotIn():
                return self._is_in(left, right) is isinstance(op, ast.In)
        self.work.key(left), self.work.key(right)
        return bool(_COMPARE[type(op)](left, right))

    def _is_in(self, left: object, right: Any) -> bool:
        if isinstance(right, str | dict | set | range):
            self.work.step(len(right) // 100 + 1)
            return self.work.key(left) in right
        return any(self.work.equal(left, item) for item in self.work.items(right))
