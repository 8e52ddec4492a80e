"""The methods of Python's values that a configuration may call. Each is bounded."""

from __future__ import annotations

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
)
from lve.extensions.importing.opencompass.work import SCALARS, NotDataError, Work, kind_of

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


def _case(name: str) -> Method:
    def call(work: Work, owner: str, args: Args, keywords: Named) -> object:
        work.text(3 * len(owner))
        return getattr(owner, name)(*args, **keywords)

    return call


def _pad(name: str) -> Method:
    def call(work: Work, owner: str, args: Args, keywords: Named) -> object:
        work.text(int(args[0]) + len(owner))
        return getattr(owner, name)(*args, **keywords)

    return call


METHODS: Mapping[type, Mapping[str, Method]] = {
    str: {
        "format": _format,
        "join": _join,
        "replace": _replace,
        **{name: _split(name) for name in ("split", "rsplit", "splitlines", "partition")},
        **{
            name: _case(name)
            for name in (
                *("lower", "upper", "title", "capitalize", "strip", "lstrip", "rstrip"),
                *("removeprefix", "removesuffix", "casefold", "swapcase"),
            )
        },
        **{name: _pad(name) for name in ("zfill", "ljust", "rjust", "center")},
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
