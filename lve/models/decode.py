"""JSON from a server, which may be anything: one way to read it that can't break the session."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

DEEPEST = 64
"""Levels of lists and objects. What is deeper is no answer, and writing it again may fail: Python's
JSON gives up at a depth that depends on where it is called."""


def decode(body: bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is none, or nested too deeply to be read.
    """
    try:
        return json.loads(body)
    except RecursionError:
        raise ValueError("nested too deeply") from None


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


def _containers(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, (dict, list))]


def objects(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects of what should be a list of objects; nothing of anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
