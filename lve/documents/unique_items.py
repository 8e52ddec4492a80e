"""Finds duplicate items of a list in linear time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any


def repeated(items: Sequence[Any]) -> Iterator[int]:
    """Yield the index of each item that equals an earlier one, as JSON Schema compares them: 1 and
    1.0 are the same number, 1 and true are not."""
    seen: set[str] = set()
    for index, item in enumerate(items):
        # Compare texts: their hashes are random, while numbers can be chosen to collide.
        spelled = json.dumps(_plain(item), sort_keys=True)
        if spelled in seen:
            yield index
        seen.add(spelled)


def _plain(value: Any) -> Any:
    """Return a value in which whole floats are integers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return value
