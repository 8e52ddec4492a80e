"""The operators and methods of Python's values that a configuration may use. Each is bounded."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any

from lve.extensions.importing.opencompass.functions import (
    Args,
    Named,
    check_width,
    size,
    text_of,
    with_percent,
)
from lve.extensions.importing.opencompass.reading_cost import SCALARS, NotDataError, Work, kind_of

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


Method = Callable[[Work, Any, Args, Named], object]
"""A method of values: of the work, the value, and the arguments."""


def _format(work: Work, text: str, args: Args, keywords: Named) -> object:
    for _, name, spec, _ in Formatter().parse(text):
        if re.search(r"[.\[]", name or ""):
            raise NotDataError("a format with attributes isn't supported")
        check_width(spec or "")
    values = [text_of(work, value) for value in (*args, *keywords.values())]
    work.text(len(text) + (max(map(len, values), default=0) + 1000) * text.count("{"))
    return text.format(*args, **keywords)


def _join(work: Work, text: str, args: Args, _: Named) -> object:
    parts = [part for part in work.items(args[0]) if isinstance(part, str)]
    if len(parts) != len(args[0]):
        raise NotDataError("join takes texts")
    work.text(sum(len(part) + len(text) for part in parts))
    return text.join(parts)


def _replace(work: Work, text: str, args: Args, _: Named) -> object:
    old, new = str(args[0]), str(args[1])
    work.text(len(text) + text.count(old) * len(new))
    return text.replace(old, new, *args[2:])


def _by_name(name: str) -> Method:
    def call(work: Work, owner: Any, args: Args, keywords: Named) -> object:
        work.step(size(owner) // 100 + 1)
        return getattr(owner, name)(*args, **keywords)

    return call


def _copied(name: str) -> Method:
    def call(work: Work, owner: Any, args: Args, keywords: Named) -> object:
        work.step(size(owner) + sum(map(size, args)) + len(keywords) + 1)
        if name in ("setdefault", "get", "pop") and isinstance(owner, dict):
            work.key(args[0])
        if name in ("index", "remove", "count") and not isinstance(args[0], SCALARS):
            raise NotDataError(f"{name} of {kind_of(args[0])} isn't supported")
        value = getattr(owner, name)(*args, **keywords)
        return list(value) if name in ("keys", "values", "items") else value

    return call


def _split(name: str) -> Method:
    def call(work: Work, owner: str, args: Args, keywords: Named) -> object:
        work.text(2 * len(owner))
        parts: list[str] = getattr(owner, name)(*args, **keywords)
        work.step(len(parts))
        return parts

    return call


def _wide(name: str, most: Callable[[str, Args], int]) -> Method:
    def call(work: Work, owner: str, args: Args, keywords: Named) -> object:
        work.text(most(owner, args))
        return getattr(owner, name)(*args, **keywords)

    return call


METHODS: Mapping[type, Mapping[str, Method]] = {
    str: {
        "format": _format,
        "join": _join,
        "replace": _replace,
        **{name: _split(name) for name in ("split", "rsplit", "splitlines", "partition")},
        **{
            name: _wide(name, lambda owner, _: 3 * len(owner))
            for name in (
                *("lower", "upper", "title", "capitalize", "strip", "lstrip", "rstrip"),
                *("removeprefix", "removesuffix", "casefold", "swapcase"),
            )
        },
        **{
            name: _wide(name, lambda owner, args: int(args[0]) + len(owner))
            for name in ("zfill", "ljust", "rjust", "center")
        },
        **{
            name: _by_name(name)
            for name in (
                *("startswith", "endswith", "count", "find", "rfind", "index"),
                *("isdigit", "isalpha", "isupper", "islower"),
            )
        },
    },
    list: {
        name: _copied(name)
        for name in (
            *("append", "extend", "insert", "copy", "index", "count", "pop", "remove", "reverse"),
            "clear",
        )
    },
    dict: {
        name: _copied(name)
        for name in (
            *("copy", "get", "items", "keys", "values", "pop", "update", "setdefault", "clear"),
        )
    },
    set: {"copy": _copied("copy"), "add": lambda w, o, a, n: o.add(w.key(a[0]))},
    tuple: {"index": _copied("index"), "count": _copied("count")},
}
"""Type -> its methods that may be called."""
