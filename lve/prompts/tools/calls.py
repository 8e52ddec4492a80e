"""Parses and compares the arguments of tool calls."""

from __future__ import annotations

from collections.abc import Mapping

from lve.documents.json_text import decode_json
from lve.json_types import JsonValue

MAX_ARGUMENT_CHARACTERS = 1_000_000
"""Longer arguments aren't parsed."""


def arguments_of(written: str) -> dict[str, JsonValue] | None:
    """Parse the arguments of a call; None if they aren't a JSON object. No text means no arguments:
    models leave them out if a tool takes none."""
    if not written.strip():
        return {}
    if len(written) > MAX_ARGUMENT_CHARACTERS:
        return None
    try:
        value = decode_json(written)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def has_values(value: object, expected: object) -> bool:
    """Whether two JSON values are equal, but for further keys in the objects of `value`."""
    return _equal(value, expected, exact=False)


def is_equal(value: object, other: object) -> bool:
    """Whether two JSON values are equal: 1 and 1.0 are, 1 and true aren't."""
    return _equal(value, other, exact=True)


def _equal(value: object, expected: object, *, exact: bool) -> bool:
    waiting = [(value, expected)]  # No recursion: a value may be nested deeply.
    while waiting:
        value, expected = waiting.pop()
        if isinstance(expected, Mapping):
            if not isinstance(value, Mapping) or (exact and len(value) != len(expected)):
                return False
            if any(key not in value for key in expected):
                return False
            waiting += [(value[key], inner) for key, inner in expected.items()]
        elif isinstance(expected, list | tuple):
            if not isinstance(value, list | tuple) or len(value) != len(expected):
                return False
            waiting += zip(value, expected, strict=True)
        elif value != expected or isinstance(value, bool) is not isinstance(expected, bool):
            return False
    return True
