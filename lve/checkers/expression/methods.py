"""The methods that expressions can call, by the type of the value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from lve.checkers.expression.meter import MAX_WIDTH, Meter
from lve.checkers.judging_limits import LimitError

Method = Callable[..., object]


def _replace(meter: Meter, text: str, old: str, new: str, count: int = -1) -> str:
    meter.searched(text, old)
    places = text.count(old) if count < 0 else min(count, text.count(old))
    meter.text_size(len(text) + places * max(0, len(new) - len(old)))
    return text.replace(old, new, count)


def _join(meter: Meter, text: str, values: object) -> str:
    parts = list(meter.iterated(values))
    size = sum(len(part) for part in parts if isinstance(part, str))
    meter.text_size(size + len(text) * len(parts))
    return text.join(parts)


def _padding(name: str) -> Method:
    method = getattr(str, name)

    def pad(meter: Meter, text: str, width: int, *fill: str) -> object:
        if width > MAX_WIDTH:
            raise LimitError(f"{name}() to a width of more than {MAX_WIDTH}")
        meter.text_size(max(width, len(text)))
        return method(text, width, *fill)

    return pad


def _expandtabs(meter: Meter, text: str, tabsize: int = 8) -> str:
    meter.text_size(len(text) + text.count("\t") * max(0, tabsize))
    return text.expandtabs(tabsize)


def _translate(meter: Meter, text: str, table: dict[int, str | int | None]) -> str:
    if type(table) is not dict:
        raise TypeError("translate() takes what str.maketrans() returns")
    widest = max([len(part) for part in table.values() if type(part) is str], default=1)
    meter.charge((len(text) >> 2) + len(table))
    meter.text_size(len(text) * max(1, widest))
    return str(meter.made(text.translate(table)))


def _encode(meter: Meter, text: str, encoding: str = "utf-8", errors: str = "strict") -> object:
    if encoding.lower() not in _ENCODINGS or errors not in _ON_ERRORS:
        names = ", ".join((*_ENCODINGS, *_ON_ERRORS))
        raise ValueError(f"encode() takes some of {names} here")
    meter.searched(text)
    return meter.made(text.encode(encoding, errors))


def _partwise(name: str) -> Method:
    method = getattr(str, name)

    def split(meter: Meter, text: str, *args: object, **options: object) -> object:
        separator = args[0] if args else options.get("sep")
        sought = separator if type(separator) is str else ""
        meter.searched(text, sought, backwards=name.startswith("r"))
        meter.text_size(len(text))
        return meter.made(method(text, *args, **options))

    return split


def _reading(name: str) -> Method:
    """Return a metered method that reads every character once. Its result has at most three times
    as many characters."""
    method = getattr(str, name)

    def read(meter: Meter, text: str) -> object:
        meter.searched(text)
        return meter.made(method(text))

    return read


def _searching(name: str) -> Method:
    method = getattr(str, name)

    def search(meter: Meter, text: str, sought: str, *bounds: object) -> object:
        meter.searched(text, sought, backwards=name.startswith("r"))
        return method(text, sought, *bounds)

    return search


def _stripping(name: str) -> Method:
    method = getattr(str, name)

    def strip(meter: Meter, text: str, characters: str | None = None) -> object:
        meter.pairs(len(text), 1 if characters is None else len(characters))
        return meter.made(method(text, characters))

    return strip


def _at_an_end(name: str) -> Method:
    """Return a metered method like `startswith`, which compares an end of the text with a text or a
    tuple of texts."""
    method = getattr(str, name)

    def compare(meter: Meter, text: str, ends: object, *bounds: object) -> object:
        meter.read(ends)
        return meter.made(method(text, ends, *bounds))

    return compare


def _looking(kind: type, name: str) -> Method:
    """Return a metered method that compares every element of a list or tuple with a value."""
    method = getattr(kind, name)

    def look(meter: Meter, value: object, sought: object, *bounds: object) -> object:
        meter.read(value)
        meter.shown(sought)  # the error for a value that isn't found contains it
        return method(value, sought, *bounds)

    return look


def _listing(name: str) -> Method:
    """Return a metered `items`, `keys` or `values` that returns a list, as a view would be another
    type to support."""

    def items(meter: Meter, value: dict[object, object]) -> list[object]:
        meter.charge(len(value) * 2)
        return list(getattr(value, name)())

    return items


def _get(meter: Meter, value: dict[object, object], key: object, default: object = None) -> object:
    return value.get(meter.read(key), default)


def _sets(name: str) -> Method:
    method = getattr(set, name)

    def combine(meter: Meter, value: set[object], *others: object) -> object:
        sets = [set(meter.hashed(list(meter.iterated(other)))) for other in others]
        meter.read(value)
        result = meter.made(method(set(value), *sets))
        if type(result) is set:
            meter.hashed(list(result))
        return result

    return combine


def _match(name: str) -> Method:
    def read(meter: Meter, match: re.Match[str], *args: int | str) -> object:
        # Each group may be the whole match, and the same group can be named many times.
        groups = len(args) if name == "group" else match.re.groups
        if groups > 1 and not name.startswith(_PLACES):
            meter.text_size((match.end() - match.start()) * groups)
        return meter.made(getattr(match, name)(*args))

    return read


_READ = (
    *("capitalize", "casefold", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit"),
    *("isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper"),
    *("lower", "swapcase", "title", "upper"),
)
_ENCODINGS = ("utf-8", "utf8", "ascii", "latin-1", "utf-16")
_ON_ERRORS = ("strict", "ignore", "replace")
_PLACES = ("start", "end", "span")
_SET = {
    name: _sets(name)
    for name in (
        *("difference", "intersection", "isdisjoint", "issubset", "issuperset"),
        *("symmetric_difference", "union"),
    )
}

METHODS: dict[type, Mapping[str, Method]] = {
    str: {
        **{name: _reading(name) for name in _READ},
        **{name: _searching(name) for name in ("count", "find", "index", "rfind", "rindex")},
        **{name: _stripping(name) for name in ("lstrip", "rstrip", "strip")},
        **{
            name: _at_an_end(name)
            for name in ("endswith", "removeprefix", "removesuffix", "startswith")
        },
        **{
            name: _partwise(name)
            for name in ("partition", "rpartition", "rsplit", "split", "splitlines")
        },
        **{name: _padding(name) for name in ("center", "ljust", "rjust", "zfill")},
        "encode": _encode,
        "expandtabs": _expandtabs,
        "join": _join,
        "replace": _replace,
        "translate": _translate,
    },
    list: {name: _looking(list, name) for name in ("count", "index")},
    tuple: {name: _looking(tuple, name) for name in ("count", "index")},
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


def methods_of(value: object) -> Mapping[str, Method]:
    """Return the methods that a value has in an expression."""
    methods = METHODS.get(type(value))
    if methods is not None:
        return methods
    if type(value).__name__ == "Match":
        return MATCH_METHODS
    return {}
