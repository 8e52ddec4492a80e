"""The functions that an expression may call. Each charges the meter for what it does.

Every function takes the meter first. They get values of Python's plain types only, and the results
of generator expressions, which charge the meter themselves.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from typing import Any

from lve.checkers.expression import arithmetic
from lve.checkers.expression.meter import Meter

TYPES: dict[str, type] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "set": set,
    "frozenset": frozenset,
}
"""For `isinstance`, and as functions."""


def _str(meter: Meter, value: Any = "") -> str:
    return str(meter.made(str(meter.shown(value))))


def _repr(meter: Meter, value: Any) -> str:
    return str(meter.made(repr(meter.shown(value))))


def _len(meter: Meter, value: Any) -> int:
    return len(value)


def _bool(meter: Meter, value: Any = False) -> bool:
    return bool(value)


def _chr(meter: Meter, code: int) -> str:
    return chr(code)


def _ord(meter: Meter, character: str) -> int:
    return ord(character)


def _any(meter: Meter, values: Iterable[Any]) -> bool:
    return any(meter.iterated(values))


def _all(meter: Meter, values: Iterable[Any]) -> bool:
    return all(meter.iterated(values))


def _sum(meter: Meter, values: Iterable[Any], start: Any = 0) -> Any:
    numbers = list(meter.iterated(values))
    for number in (start, *numbers):
        if not isinstance(number, int | float):
            raise TypeError(f"sum() adds numbers, not {type(number).__name__}")
    return meter.made(sum(numbers, start))


def _list(meter: Meter, values: Iterable[Any] = ()) -> list[Any]:
    return list(meter.iterated(values))


def _tuple(meter: Meter, values: Iterable[Any] = ()) -> tuple[Any, ...]:
    return tuple(meter.iterated(values))


def _set(meter: Meter, values: Iterable[Any] = ()) -> set[Any]:
    return set(meter.hashed(list(meter.iterated(values))))


def _frozenset(meter: Meter, values: Iterable[Any] = ()) -> frozenset[Any]:
    return frozenset(meter.hashed(list(meter.iterated(values))))


def _dict(meter: Meter, values: Any = (), **named: Any) -> dict[Any, Any]:
    pairs = list(values.items()) if isinstance(values, dict) else list(meter.iterated(values))
    meter.hashed([pair[0] for pair in pairs])
    return dict(pairs, **named)


def _sorted(
    meter: Meter,
    values: Iterable[Any],
    *,
    key: Callable[..., Any] | None = None,
    reverse: bool = False,
) -> list[Any]:
    items = list(meter.iterated(values))
    if key is None:
        return sorted(meter.sorted(items), reverse=reverse)
    keys = iter(meter.sorted([key(item) for item in items]))
    return sorted(items, key=lambda _: next(keys), reverse=reverse)


def _min(meter: Meter, *values: Any, **options: Any) -> Any:
    return _extreme(meter, min, values, **options)


def _max(meter: Meter, *values: Any, **options: Any) -> Any:
    return _extreme(meter, max, values, **options)


def _extreme(
    meter: Meter,
    function: Callable[..., Any],
    values: tuple[Any, ...],
    *,
    key: Callable[..., Any] | None = None,
    **options: Any,
) -> Any:
    items = list(meter.iterated(values[0])) if len(values) == 1 else list(values)
    meter.read(items)
    if key is None:
        return function(items, **options)
    return function(items, key=lambda item: meter.read(key(item)), **options)


def _range(meter: Meter, *bounds: int) -> range:
    return range(*bounds)


def _enumerate(meter: Meter, values: Iterable[Any], start: int = 0) -> list[Any]:
    return list(enumerate(meter.iterated(values), start))


def _zip(meter: Meter, *many: Iterable[Any], strict: bool = False) -> list[Any]:
    return list(zip(*[meter.iterated(values) for values in many], strict=strict))


def _reversed(meter: Meter, values: Any) -> list[Any]:
    return list(reversed(meter.iterated(values)))


def _map(meter: Meter, function: Callable[..., Any], *many: Iterable[Any]) -> list[Any]:
    return list(map(function, *[meter.iterated(values) for values in many]))


def _filter(meter: Meter, function: Callable[..., Any] | None, values: Iterable[Any]) -> list[Any]:
    return list(filter(function, meter.iterated(values)))


def _next(meter: Meter, generator: Any, *default: Any) -> Any:
    return next(generator, *default)


def _loads(meter: Meter, text: Any) -> Any:
    if not isinstance(text, str):
        raise TypeError(f"json.loads() reads text, not {type(text).__name__}")
    meter.charge(len(text) >> 2)
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("json.loads() of a text that is nested too deeply") from None


def _dumps(meter: Meter, value: Any, **options: Any) -> str:
    if set(options) - {"sort_keys", "ensure_ascii"}:
        raise TypeError("json.dumps() takes sort_keys and ensure_ascii here")
    return str(meter.made(json.dumps(meter.shown(value), **options)))


FUNCTIONS: dict[str, arithmetic.Metered] = {
    "abs": arithmetic.abs_,
    "all": _all,
    "any": _any,
    "bool": _bool,
    "chr": _chr,
    "dict": _dict,
    "divmod": arithmetic.divmod_,
    "enumerate": _enumerate,
    "filter": _filter,
    "float": arithmetic.float_,
    "frozenset": _frozenset,
    "int": arithmetic.int_,
    "len": _len,
    "list": _list,
    "map": _map,
    "max": _max,
    "min": _min,
    "next": _next,
    "ord": _ord,
    "pow": arithmetic.power,
    "range": _range,
    "repr": _repr,
    "reversed": _reversed,
    "round": arithmetic.round_,
    "set": _set,
    "sorted": _sorted,
    "str": _str,
    "sum": _sum,
    "tuple": _tuple,
    "zip": _zip,
}
"""Name -> function. `isinstance` is the compiler's, because it takes types."""

MODULES: dict[str, dict[str, arithmetic.Metered]] = {
    "json": {"loads": _loads, "dumps": _dumps},
    "math": {name: arithmetic.of_numbers(getattr(math, name)) for name in arithmetic.MATH},
}
"""Module -> name -> function. `re` is added by `patterns`."""

CONSTANTS: dict[str, dict[str, Any]] = {
    "math": {name: getattr(math, name) for name in ("pi", "e", "inf", "nan", "tau")},
    "string": {
        "ascii_letters": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "ascii_lowercase": "abcdefghijklmnopqrstuvwxyz",
        "ascii_uppercase": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "digits": "0123456789",
        "punctuation": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    },
}
