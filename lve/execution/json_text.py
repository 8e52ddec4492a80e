"""JSON as our files and streams have it: one line, ASCII, valid whatever the values are."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

# Values come from JSON and YAML files and from servers: no circles, so none are looked for, which
# makes the encoder a quarter faster.
_strict = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)
_sorted = json.JSONEncoder(
    separators=(",", ":"), allow_nan=False, check_circular=False, sort_keys=True
)


def json_line(value: Any) -> str:
    """Return `value` as compact JSON on one line.

    ASCII only, so that lone surrogates, control characters and U+2028 survive every reader. What
    JSON can't say becomes what comes nearest (see `plain`): a strange value in a data set must not
    cost a result that was paid for.
    """
    try:
        return _strict.encode(value)
    except (TypeError, ValueError):
        return _strict.encode(plain(value))


def canonical_json(value: Any) -> str:
    """Return compact JSON with sorted keys: the same text for equal values in every process."""
    try:
        return _sorted.encode(value)
    except (TypeError, ValueError):
        return _sorted.encode(plain(value))


def plain(value: Any) -> Any:
    """Return `value` as JSON values: text keys, lists for sequences, `"nan"` and `"inf"` as text
    (JSON has no such numbers), anything else as its `str`."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=str)
    return str(value)
