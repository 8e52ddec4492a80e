"""JSON from a server, which may be anything: one way to read it that can't break the session."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from math import isfinite
from typing import Any

import orjson

DEEPEST = 64
"""Levels of lists and objects. What is deeper is no answer, and writing it again may fail: Python's
JSON gives up at a depth that depends on where it is called."""
MOST_MEMORY = 192 * 1024 * 1024
"""Bytes that the values of one answer may take: the log-probabilities of 10,000 tokens with 20
alternatives each take 140 MB."""
LARGEST_ODD = 8 * 1024 * 1024
"""Bytes of an answer that only the standard library reads (NaN, half a surrogate pair, UTF-16): it
takes up to eight times as much memory as the answer has bytes, beside the values."""
_HARMLESS = 1024 * 1024
"""Bytes of an answer that is small whatever is in it."""
_WEIGHTS = {b"{": 232, b"[": 72, b",": 56, b'"': 30, b":": 24}
"""What a character announces, in bytes of memory (CPython on 64 bits): an object with a few keys, a
list, a number in one of them, half a text, an object's value."""


def decode(body: bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is none, is nested too deeply, or would take too much memory.
    """
    if len(body) > _HARMLESS and memory_of(body) > MOST_MEMORY:
        raise ValueError("too many values")
    with suppress(ValueError):
        return orjson.loads(body)
    if len(body) <= LARGEST_ODD:
        with suppress(ValueError, RecursionError):
            return json.loads(body)
    # Not from theirs: those hold the whole body as a text.
    raise ValueError("not JSON, or nested too deeply")


def memory_of(body: bytes) -> int:
    """Return about how many bytes the values of a JSON text take, its long texts apart.

    Counted before anything is read: 60 MB of `[],` would become 2 GB.
    """
    return sum(body.count(character) * weight for character, weight in _WEIGHTS.items())


def is_shallow(value: Any) -> bool:
    """Whether a decoded value can safely be kept, written again and shown."""
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
    """Whether a decoded value, which `is_shallow`, has no NaN and no infinity in it: JSON knows
    neither, and whoever reads what is written again would meet something else."""
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
    """Return the objects of what should be a list of objects; nothing of anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
