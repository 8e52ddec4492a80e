"""The functions of Python that a configuration may call. Each is bounded, and none
reaches anything but its arguments."""

from __future__ import annotations

import itertools
import math
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lve.escape import excerpt
from lve.extensions.importing.opencompass.reading_cost import (
    SCALARS,
    ImportedName,
    NotDataError,
    Work,
    kind_of,
)

Args = Sequence[Any]
Named = Mapping[str, Any]
Function = Callable[[Work, Args, Named], object]
_PERCENT = re.compile(r"%[^a-zA-Z%]*[a-zA-Z%]")
_WIDE = re.compile(r"\d{4,}|\{|\*")
MAX_CONVERTED = 4_000
"""The longest text that becomes a number."""


def text_of(work: Work, value: object) -> str:
    """Return a value as `str` writes it."""
    if isinstance(value, ImportedName):
        return f"<class '{value.path}'>"
    text = str(value if isinstance(value, SCALARS) else work.copied(value))
    work.text(len(text))
    return text


def formatted(work: Work, value: object, spec: str) -> str:
    """Return a value in a format.

    Raises:
        NotDataError: the format is too wide.
    """
    if not spec:
        return text_of(work, value)
    check_width(spec)
    if not isinstance(value, SCALARS):
        raise NotDataError(f"{kind_of(value)} has no format")
    text = format(value, spec)
    work.text(len(text))
    return text


def with_percent(work: Work, text: str, values: object) -> str:
    """Return `text % values`.

    Raises:
        NotDataError: a format is too wide.
    """
    for form in _PERCENT.findall(text):
        check_width(form)
    each = values if isinstance(values, tuple | dict) else (values,)
    length = sum(len(text_of(work, v)) for v in (each.values() if isinstance(each, dict) else each))
    work.text(len(text) + (length + 1000) * (text.count("%") + 1))
    return text % values


def check_width(spec: str) -> None:
    """Check a format.

    Raises:
        NotDataError: it is so wide that a short value becomes a long text.
    """
    if _WIDE.search(spec):
        raise NotDataError(f"the format {excerpt(spec, 40)} is too wide")


def size(value: object) -> int:
    """Return how many characters or items a value has; 0 for others."""
    return len(value) if isinstance(value, str | list | tuple | dict | set | range) else 0


def _sum(work: Work, args: Args, keywords: Named) -> object:
    total: Any = keywords.get("start", args[1] if len(args) > 1 else 0)
    for item in work.items(args[0]):
        work.step(size(total))
        total = work.number(total + item)
    return total


def _number(kind: type) -> Function:
    def convert(work: Work, args: Args, keywords: Named) -> object:
        if args and size(args[0]) > MAX_CONVERTED:
            raise NotDataError("a number is too long")
        return work.number(kind(*args, **keywords))

    return convert


def _scalars(function: Callable[..., object]) -> Function:
    """Return a function of the items of one value, or of its arguments, which are compared."""

    def call(work: Work, args: Args, keywords: Named) -> object:
        values = list(work.items(args[0])) if len(args) == 1 else list(args)
        for value in values:
            work.key(value)
        if set(keywords) - {"reverse", "default"}:
            raise NotDataError("`key` isn't supported")
        return function(values, **keywords)

    return call


def _range(work: Work, args: Args, _: Named) -> object:
    return range(*(int(bound) for bound in args))


def _pairs(work: Work, value: Any) -> Iterator[tuple[object, object]]:
    for pair in work.items(value.items() if isinstance(value, dict) else value):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise NotDataError("dict() takes pairs")
        yield work.key(pair[0]), pair[1]


def _dict(work: Work, args: Args, keywords: Named) -> object:
    items: dict[object, object] = {}
    items.update(_pairs(work, args[0]) if args else ())
    items.update(keywords)
    return items


def _listed(function: Callable[..., Any]) -> Function:
    def call(work: Work, args: Args, keywords: Named) -> object:
        each = [list(work.items(value)) for value in args]
        return list(work.items(function(*each, **keywords)))

    return call


def _plainly(function: Callable[..., object]) -> Function:
    def call(work: Work, args: Args, keywords: Named) -> object:
        if not all(isinstance(value, SCALARS) for value in args):
            raise NotDataError("it isn't called with texts and numbers")
        return work.number(function(*args, **keywords))

    return call


def _length(work: Work, args: Args, _: Named) -> object:
    return len(args[0])


def _isinstance(work: Work, args: Args, _: Named) -> object:
    kinds = args[1] if isinstance(args[1], tuple) else (args[1],)
    names = {kind.name for kind in kinds if isinstance(kind, ImportedName)}
    return type(args[0]).__name__ in names


def _nothing(work: Work, args: Args, _: Named) -> object:
    return None


FUNCTIONS: Mapping[str, Function] = {
    "builtins.dict": _dict,
    "builtins.list": lambda work, args, keywords: list(work.items(args[0])) if args else [],
    "builtins.tuple": lambda work, args, keywords: tuple(work.items(args[0])) if args else (),
    "builtins.set": lambda work, args, keywords: {
        work.key(v) for v in work.items(args[0] if args else ())
    },
    "builtins.str": lambda work, args, keywords: text_of(work, args[0]) if args else "",
    "builtins.repr": lambda work, args, keywords: repr(work.copied(args[0])),
    "builtins.int": _number(int),
    "builtins.float": _number(float),
    "builtins.bool": lambda work, args, keywords: bool(args[0]),
    "builtins.len": _length,
    "builtins.range": _range,
    "builtins.sum": _sum,
    "builtins.sorted": _scalars(sorted),
    "builtins.min": _scalars(min),
    "builtins.max": _scalars(max),
    "builtins.any": lambda work, args, keywords: any(work.items(args[0])),
    "builtins.all": lambda work, args, keywords: all(work.items(args[0])),
    "builtins.zip": _listed(zip),
    "builtins.enumerate": _listed(enumerate),
    "builtins.reversed": _listed(reversed),
    "builtins.round": _plainly(round),
    "builtins.abs": _plainly(abs),
    "builtins.chr": _plainly(chr),
    "builtins.ord": _plainly(ord),
    "builtins.print": _nothing,
    "builtins.isinstance": _isinstance,
    "copy.deepcopy": lambda work, args, keywords: work.copied(args[0]),
    "copy.copy": lambda work, args, keywords: args[0].copy(),
    "itertools.product": _listed(itertools.product),
    "itertools.chain": _listed(itertools.chain),
    "math.exp": _plainly(math.exp),
    "math.log": _plainly(math.log),
    "math.sqrt": _plainly(math.sqrt),
    "math.ceil": _plainly(math.ceil),
    "math.floor": _plainly(math.floor),
    "os.path.join": _plainly(posixpath.join),
    "os.path.dirname": _plainly(posixpath.dirname),
    "os.path.basename": _plainly(posixpath.basename),
    "os.path.abspath": lambda work, args, keywords: args[0],
    "os.environ.get": lambda work, args, keywords: args[1] if len(args) > 1 else None,
    "os.getenv": lambda work, args, keywords: args[1] if len(args) > 1 else None,
}
"""Name with its module -> what computes it. Configurations see no environment."""
