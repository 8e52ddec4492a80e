"""The functions that expressions can call. Each charges the meter for its work.

The first argument of each function is the meter. The others have Python's plain types, or are
generators, which charge the meter themselves.
"""

from __future__ import annotations

import json
import math
import string
from collections.abc import Callable, Iterable
from typing import Any

from lve.checkers.expression import arithmetic
from lve.checkers.expression.meter import Meter
from lve.checkers.expression.operators import formatted

TYPES: dict[str, type] = {
    kind.__name__: kind for kind in (str, int, float, bool, list, tuple, dict, set, frozenset)
}
"""Types for `isinstance` and for methods such as `str.lower`."""

_Function = Callable[[Any], object]


def _str(meter: Meter, value: object = "") -> str:
    return str(meter.made(str(meter.shown(value))))


def _repr(meter: Meter, value: object) -> str:
    return str(meter.made(repr(meter.shown(value))))


def _free(function: _Function) -> arithmetic.Metered:
    """Return a metered function that costs nothing."""
    return lambda meter, value: function(value)


def _of_all(function: _Function) -> arithmetic.Metered:
    """Return a metered function that iterates over all of its argument."""
    return lambda meter, values: function(meter.iterated(values))


def _collecting(kind: type) -> arithmetic.Metered:
    return lambda meter, values=(): kind(meter.iterated(values))


def _hashing(kind: type) -> arithmetic.Metered:
    return lambda meter, values=(): kind(meter.hashed(list(meter.iterated(values))))


def _sum(meter: Meter, values: Iterable[Any], start: Any = 0) -> object:
    terms = list(meter.iterated(values))
    if type(start) in (list, tuple):
        for term in terms:
            start = meter.made(start + term)
        return start
    for number in (start, *terms):
        if not isinstance(number, int | float):
            raise TypeError(f"sum() adds numbers, not {type(number).__name__}")
    return meter.made(sum(terms, start))


def _dict(meter: Meter, values: object = (), **keywords: object) -> dict[object, object]:
    pairs = list(values.items()) if isinstance(values, dict) else list(meter.iterated(values))
    meter.hashed([pair[0] for pair in pairs])
    return dict(pairs, **keywords)


def _sorted(
    meter: Meter,
    values: Iterable[object],
    *,
    key: Callable[..., Any] | None = None,
    reverse: bool = False,
) -> list[object]:
    items = list(meter.iterated(values))
    if key is None:
        return sorted(meter.sorted(items), reverse=reverse)
    keys = iter(meter.sorted([key(item) for item in items]))
    return sorted(items, key=lambda _: next(keys), reverse=reverse)


def _extreme(function: Callable[..., object]) -> arithmetic.Metered:
    def find(
        meter: Meter, *values: object, key: Callable[..., object] | None = None, **more: object
    ) -> object:
        items = list(meter.iterated(values[0])) if len(values) == 1 else list(values)
        meter.read(items)
        if key is None:
            return function(items, **more)
        return function(items, key=lambda item: meter.read(key(item)), **more)

    return find


def _enumerate(meter: Meter, values: Iterable[object], start: int = 0) -> list[object]:
    return list(enumerate(meter.iterated(values), start))


def _zip(meter: Meter, *many: Iterable[object], strict: bool = False) -> list[object]:
    return list(zip(*[meter.iterated(values) for values in many], strict=strict))


def _map(meter: Meter, function: Callable[..., object], *many: Iterable[object]) -> list[object]:
    return list(map(function, *[meter.iterated(values) for values in many]))


def _filter(
    meter: Meter, function: Callable[..., object] | None, values: Iterable[object]
) -> list[object]:
    return list(filter(function, meter.iterated(values)))


def _next(meter: Meter, iterator: Any, *default: Any) -> object:
    # what is an iterator in Python may be a list here, of which nothing has been taken
    return next(iter(iterator), *default)


def _in_base(function: Callable[[int], str]) -> arithmetic.Metered:
    return lambda meter, number: meter.made(function(meter.read(number)))


def _from_keys(meter: Meter, keys: Iterable[Any], value: object = None) -> dict[object, object]:
    return dict.fromkeys(meter.hashed(list(meter.iterated(keys))), value)


def _table(meter: Meter, x: Any, *more: str) -> object:
    for part in (x, *more):
        meter.charge(len(part) * 2)
    return str.maketrans(x, *more)


def _loads(meter: Meter, text: object) -> object:
    if not isinstance(text, str):
        raise TypeError(f"json.loads() reads text, not {type(text).__name__}")
    meter.charge(len(text) >> 2)
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("json.loads() of a text that is nested too deeply") from None


def _dumps(meter: Meter, value: object, **options: Any) -> str:
    if set(options) - {"sort_keys", "ensure_ascii"}:
        raise TypeError("json.dumps() takes sort_keys and ensure_ascii here")
    return str(meter.made(json.dumps(meter.shown(value), **options)))


FUNCTIONS: dict[str, arithmetic.Metered] = {
    "abs": _free(abs),
    "all": _of_all(all),
    "any": _of_all(any),
    "bin": _in_base(bin),
    "bool": lambda meter, value=False: bool(value),
    "chr": _free(chr),
    "dict": _dict,
    "divmod": arithmetic.divmod_,
    "enumerate": _enumerate,
    "filter": _filter,
    "float": arithmetic.float_,
    "format": lambda meter, value, spec="": formatted(meter, value, spec),
    "frozenset": _hashing(frozenset),
    "hex": _in_base(hex),
    "int": arithmetic.int_,
    "iter": _collecting(list),
    "len": _free(len),
    "list": _collecting(list),
    "map": _map,
    "max": _extreme(max),
    "min": _extreme(min),
    "next": _next,
    "oct": _in_base(oct),
    "ord": _free(ord),
    "pow": arithmetic.pow_,
    "range": lambda meter, *bounds: range(*bounds),
    "repr": _repr,
    "reversed": _of_all(lambda values: list(reversed(values))),
    "round": arithmetic.round_,
    "set": _hashing(set),
    "sorted": _sorted,
    "str": _str,
    "sum": _sum,
    "tuple": _collecting(tuple),
    "zip": _zip,
}
"""Name -> function. `isinstance` is compiled separately, as it takes types."""

MODULES: dict[str, dict[str, arithmetic.Metered]] = {
    "json": {"loads": _loads, "dumps": _dumps},
    "math": {
        **{name: arithmetic.of_numbers(getattr(math, name)) for name in arithmetic.MATH},
        **{n: arithmetic.of_choices(getattr(math, n)) for n in ("comb", "factorial", "perm")},
        "fsum": arithmetic.float_sum,
        "lcm": arithmetic.common_multiple,
        "prod": arithmetic.product,
    },
    "dict": {"fromkeys": _from_keys},
    "str": {"maketrans": _table},
}
"""Module or type -> name -> function. `re` is added by `patterns`."""

CONSTANTS: dict[str, dict[str, object]] = {
    "math": {name: getattr(math, name) for name in ("pi", "e", "inf", "nan", "tau")},
    "string": {
        name: getattr(string, name)
        for name in (
            *("ascii_letters", "ascii_lowercase", "ascii_uppercase", "digits", "hexdigits"),
            *("octdigits", "printable", "punctuation", "whitespace"),
        )
    },
}
