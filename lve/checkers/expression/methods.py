"""The methods that an expression may call, by the type of the value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lve.checkers.expression.limits import MAX_WIDTH, LimitError, Meter

Method = Callable[..., Any]


def _replace(meter: Meter, text: str, old: str, new: str, count: int = -1) -> str:
    places = text.count(old) if count < 0 else min(count, text.count(old))
    meter.text_size(len(text) + places * max(0, len(new) - len(old)))
    return text.replace(old, new, count)


def _join(meter: Meter, text: str, values: Any) -> str:
    parts = list(meter.iterated(values))
    size = sum(len(part) for part in parts if isinstance(part, str))
    meter.text_size(size + len(text) * len(parts))
    return text.join(parts)


def _padding(name: str) -> Method:
    method = getattr(str, name)

    def pad(meter: Meter, text: str, width: int, *fill: str) -> Any:
        if width > MAX_WIDTH:
            raise LimitError(f"{name}() to a width of more than {MAX_WIDTH}")
        return method(text, width, *fill)

    return pad


def _expandtabs(meter: Meter, text: str, tabsize: int = 8) -> str:
    meter.text_size(len(text) + text.count("\t") * max(0, tabsize))
    return text.expandtabs(tabsize)


def _partwise(name: str) -> Method:
    method = getattr(str, name)

    def split(meter: Meter, text: str, *args: Any, **options: Any) -> Any:
        meter.text_size(len(text))
        return meter.made(method(text, *args, **options))

    return split


def _reading(kind: type, name: str) -> Method:
    method = getattr(kind, name)

    def read(meter: Meter, value: Any, *args: Any, **options: Any) -> Any:
        if kind is str:
            meter.searched(value)
        else:
            meter.read(value)
        return meter.made(method(value, *args, **options))

    return read


def _listing(name: str) -> Method:
    """`items`, `keys` and `values` as lists: a view would be a type of its own."""

    def items(meter: Meter, value: dict[Any, Any]) -> list[Any]:
        meter.charge(len(value) * 2)
        return list(getattr(value, name)())

    return items


def _get(meter: Meter, value: dict[Any, Any], key: Any, default: Any = None) -> Any:
    return value.get(meter.read(key), default)


def _sets(name: str) -> Method:
    method = getattr(set, name)

    def combine(meter: Meter, value: Any, *others: Any) -> Any:
        sets = [set(meter.hashed(list(meter.iterated(other)))) for other in others]
        meter.hashed(list(value))
        return meter.made(method(set(value), *sets))

    return combine


def _match(name: str) -> Method:
    def read(meter: Meter, match: Any, *args: Any) -> Any:
        return meter.made(getattr(match, name)(*args))

    return read


_TEXT = (
    *("capitalize", "casefold", "count", "endswith", "find", "index", "isalnum", "isalpha"),
    *("isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable"),
    *("isspace", "istitle", "isupper", "lower", "lstrip", "removeprefix", "removesuffix"),
    *("rfind", "rindex", "rstrip", "startswith", "strip", "swapcase", "title", "upper"),
)
_SET = {
    name: _sets(name)
    for name in (
        *("difference", "intersection", "isdisjoint", "issubset", "issuperset"),
        *("symmetric_difference", "union"),
    )
}

METHODS: dict[type, Mapping[str, Method]] = {
    str: {
        **{name: _reading(str, name) for name in _TEXT},
        **{
            name: _partwise(name)
            for name in ("partition", "rpartition", "rsplit", "split", "splitlines")
        },
        **{name: _padding(name) for name in ("center", "ljust", "rjust", "zfill")},
        "expandtabs": _expandtabs,
        "join": _join,
        "replace": _replace,
    },
    list: {name: _reading(list, name) for name in ("count", "index")},
    tuple: {name: _reading(tuple, name) for name in ("count", "index")},
    dict: {"get": _get, **{name: _listing(name) for name in ("items", "keys", "values")}},
    set: _SET,
    frozenset: _SET,
    int: {"bit_length": lambda meter, value: value.bit_length()},
    float: {"is_integer": lambda meter, value: value.is_integer()},
}
"""Type -> method name -> method. Matches of `re` have `MATCH_METHODS`."""

MATCH_METHODS: dict[str, Method] = {
    name: _match(name) for name in ("group", "groups", "groupdict", "start", "end", "span")
}

METHOD_NAMES = frozenset(MATCH_METHODS).union(*METHODS.values())


def methods_of(value: Any) -> Mapping[str, Method]:
    """Return the methods that a value has in an expression."""
    found = METHODS.get(type(value))
    if found is not None:
        return found
    if type(value).__name__ == "Match":
        return MATCH_METHODS
    return {}
