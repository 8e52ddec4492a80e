"""Calls of functions with tables of arguments; `cases/recorded_calls` holds what they return.

Each table has the values on both sides of every boundary and every combination of what guards look
at. `make records` writes the results anew; each line of the diff is meant.
"""

from __future__ import annotations

import itertools
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lve.messages import Message

CALLS = Path(__file__).parents[1] / "cases" / "recorded_calls"
Calls = dict[str, str]
"""What each call returns, or the error that it raises."""

MOST_SHOWN = 1000
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def grid(
    function: Callable[..., object], *columns: Iterable[Any], **keywords: Iterable[Any]
) -> Calls:
    """Call a function with every combination of the values for its arguments."""
    rows = itertools.product(*columns, *keywords.values())
    return rows_of(function, rows, tuple(keywords))


def rows_of(
    function: Callable[..., object], rows: Iterable[tuple[Any, ...]], names: tuple[str, ...] = ()
) -> Calls:
    """Call a function with each row of arguments; the last have these names."""
    results = {}
    for row in rows:
        begin = len(row) - len(names)
        named = dict(zip(names, row[begin:], strict=True))
        words = [said(value) for value in row[:begin]]
        words += [f"{name}={said(value)}" for name, value in named.items()]
        name = function.__qualname__.rpartition("<locals>.")[2]
        results[f"{name}({', '.join(words)})"] = result_of(function, row[:begin], named)
    return results


def result_of(
    function: Callable[..., object], row: tuple[Any, ...], named: Mapping[str, Any]
) -> str:
    """Return what a call returns or raises, in words. An iterator is read to its end."""
    try:
        result = function(*row, **named)
        return said(list(result) if isinstance(result, Iterator) else result)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def said(value: object) -> str:
    """Return a value in words that are the same on each machine: floats have 10 digits, sets an
    order, functions their name, and named tuples only the fields that aren't their defaults."""
    match value:
        case float():
            text = f"{value:.10g}"
            return f"{text}.0" if text.lstrip("-").isdecimal() else text
        case str() if len(value) > MOST_SHOWN:
            return f"{value[:40]!r} and so on, {len(value)} characters"
        case set() | frozenset():
            return f"{{{', '.join(sorted(map(said, value)))}}}"
        case Mapping():
            return f"{{{', '.join(f'{said(k)}: {said(v)}' for k, v in value.items())}}}"
        case list():
            return f"[{', '.join(map(said, value))}]"
        case tuple():
            fields = getattr(value, "_fields", None)
            if fields is None:
                return f"({', '.join(map(said, value))})"
            defaults = getattr(value, "_field_defaults", {})
            return said_fields(value, dict(zip(fields, value, strict=True)), defaults)
        case Message():
            own = {name: getattr(value, name) for name in Message.__slots__}
            plain = Message()
            return said_fields(value, own, {name: getattr(plain, name) for name in own})
        case _ if callable(value) and hasattr(value, "__qualname__"):
            return str(value.__qualname__).rpartition(".")[2]
    return _ADDRESS.sub("", repr(value))


def said_fields(value: object, own: Mapping[str, object], defaults: Mapping[str, object]) -> str:
    """Return the name of a value's class and the fields that aren't their defaults."""
    words = (
        f"{name}={said(item)}"
        for name, item in own.items()
        if name not in defaults or item != defaults[name]
    )
    return f"{type(value).__name__}({', '.join(words)})"


def changed(name: str, calls: Calls) -> Calls:
    """Return the calls whose results aren't those that are recorded."""
    before = recorded(name)
    missing = dict.fromkeys(before.keys() - calls.keys(), "not called")
    return {call: said for call, said in calls.items() if before.get(call) != said} | missing


def texts(name: str) -> dict[str, tuple[str, ...]]:
    """Return the lists of texts that are arguments of calls, by their name."""
    return arguments(f"{name}.texts")


def values(name: str) -> dict[str, tuple[Any, ...]]:
    """Return the lists of values of any kind that are arguments of calls, by their name."""
    return arguments(f"{name}.values")


def arguments(file: str) -> dict[str, tuple[Any, ...]]:
    lists = json.loads((CALLS / f"{file}.json").read_text(encoding="utf-8"))
    return {word: tuple(items) for word, items in lists.items()}


def in_folder(files: Mapping[str, str], work: Callable[[Path], object]) -> object:
    """Do something in a folder with files; what it returns or raises is without its name."""
    with tempfile.TemporaryDirectory() as name:
        for file, text in files.items():
            (Path(name) / file).parent.mkdir(parents=True, exist_ok=True)
            (Path(name) / file).write_text(text, encoding="utf-8", newline="")
        try:
            result = work(Path(name))
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
        return result.replace(name, "FOLDER") if isinstance(result, str) else result


def recorded(name: str) -> Calls:
    """Return the results that a file of `tests/cases/recorded_calls` holds."""
    calls: Calls = json.loads((CALLS / f"{name}.json").read_text(encoding="utf-8"))
    return calls


def record(name: str, calls: Calls) -> None:
    """Write them anew."""
    text = json.dumps(calls, ensure_ascii=False, indent=0)
    (CALLS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
