"""Parses JSON from servers, within limits that keep hostile JSON from breaking the session."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from math import isfinite
from typing import Any

import orjson

DEEPEST = 64
"""Deepest nesting of lists and objects. No answer is deeper, and Python's JSON may fail to write a
deeper value."""
MOST_MEMORY = 192 * 1024 * 1024
"""Most bytes of memory for the values of one answer: the log-probabilities of 10,000 tokens with 20
alternatives each take 140 MB."""
LARGEST_ODD = 8 * 1024 * 1024
"""Largest answer that only the standard library can parse (NaN, half a surrogate pair, UTF-16): it
takes up to eight times the answer's size on top of the values."""
_HARMLESS = 1024 * 1024
"""Answers up to this size take little memory whatever they hold."""
_WEIGHTS = {b"{": 232, b"[": 72, b",": 56, b'"': 30, b":": 24}
"""Character -> bytes of memory for what it stands for (CPython, 64 bits): a small object, a list, a
number in one of them, half a text, an object's value."""


def decode(body: bytes) -> Any:
    """Return the value of a JSON text. Integers that don't fit into 64 bits are read as floats.

    Raises:
        ValueError: it isn't JSON, is nested too deeply, or would take too much memory.
    """
    if len(body) > _HARMLESS and memory_of(body) > MOST_MEMORY:
        raise ValueError("too many values")
    with suppress(ValueError):
        return orjson.loads(body)
    if len(body) <= LARGEST_ODD:
        with suppress(ValueError, RecursionError):
            return json.loads(body)
    # Not chained: the libraries' errors hold the whole body as a text.
    raise ValueError("not JSON, or nested too deeply")


def memory_of(body: bytes) -> int:
    """Estimate the memory for the values of a JSON text, without its long texts, before it is
    parsed: 60 MB of `[],` would take 2 GB."""
    return sum(body.count(character) * weight for character, weight in _WEIGHTS.items())


def is_shallow(value: Any) -> bool:
    """Whether a decoded value isn't nested too deeply to be stored and written again."""
    level = _containers([value])
    for _ in range(DEEPEST):
        if not level:
            return True
        level = [
            inner
            for outer in level
            for inner in _containers(outer.values() if isinstance(outer, dict) else outer)
        ]
    return False


def is_finite(value: Any) -> bool:
    """Whether a decoded value has no NaN and no infinity, which JSON can't represent. The value
    must be shallow."""
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, float) and not isfinite(inner):
            return False
        waiting += _inner(inner)
    return True


def _inner(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _containers(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, (dict, list))]


def objects(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects in a list; an empty list if the value isn't a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
