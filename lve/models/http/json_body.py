"""The JSON of requests and responses. Parsing has limits, so that hostile JSON can't exhaust the
session's memory or stack."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from math import isfinite
from typing import Any

import orjson

from lve.documents.json_lines import json_writer
from lve.errors import PermanentModelError
from lve.json_types import JsonObject

MAX_DEPTH = 64
"""Maximum nesting of lists and objects. No real answer is deeper, and Python's JSON may fail to
write a deeper value."""
MAX_VALUES_BYTES = 192 * 1024 * 1024
"""Maximum memory for the values of one answer: the log-probabilities of 10,000 tokens with 20
alternatives each take 140 MB."""
MAX_STDLIB_BYTES = 8 * 1024 * 1024
"""Maximum size of an answer that only the standard library can parse (NaN, half a surrogate pair,
UTF-16): that takes up to eight times the answer's size on top of the values."""
UNCHECKED_BYTES = 1024 * 1024
"""Answers up to this size take little memory, whatever their values."""
_WEIGHTS = {b"{": 232, b"[": 72, b",": 56, b'"': 30, b":": 24}
"""Character -> bytes of memory for what it stands for (64-bit CPython): a small object, a list, a
number in one of them, half a text, an object's value."""
# ASCII only, so that a lone surrogate in a hostile prompt gives valid UTF-8.
_write = json_writer()
_STRICT = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def encode(body: Mapping[str, object]) -> bytes:
    """Return a request's body as JSON.

    Raises:
        PermanentModelError: a model arg has no JSON form (NaN, a date from YAML, a list in itself).
    """
    # orjson takes a tenth of the time, and refuses all that follows, but writes NaN as null.
    try:
        data = orjson.dumps(body, option=_STRICT)
        if data.find(b"null") < 0:  # `in` tries first whether it is a number
            return data
    except TypeError:
        pass
    try:
        return _write(body).encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise PermanentModelError(
            f"a model arg can't be sent as JSON: {error}", kind="bad_request"
        ) from None


def decode(body: bytes) -> Any:
    """Return the value of a JSON text. Integers that don't fit into 64 bits become floats.

    Raises:
        ValueError: the text isn't JSON, is nested too deeply, or would take too much memory.
    """
    if len(body) > UNCHECKED_BYTES and memory_of(body) > MAX_VALUES_BYTES:
        raise ValueError("too many values")
    try:
        return orjson.loads(body)
    except ValueError:
        pass  # `suppress` would be three calls for every answer
    if len(body) <= MAX_STDLIB_BYTES:
        with suppress(ValueError, RecursionError):
            return json.loads(body)
    # Not chained: the libraries' errors hold the whole body.
    raise ValueError("not JSON, or nested too deeply")


def memory_of(body: bytes) -> int:
    """Return an estimate of the bytes of memory that the values of an unparsed JSON text would
    take, not counting long texts. 60 MB of `[],` would take 2 GB."""
    return sum(body.count(character) * weight for character, weight in _WEIGHTS.items())


def is_shallow(value: object) -> bool:
    """Return whether a decoded value is nested at most `MAX_DEPTH` levels, so that it can be stored
    and written again."""
    level = _containers([value])
    for _ in range(MAX_DEPTH):
        if not level:
            return True
        level = [
            inner
            for outer in level
            for inner in _containers(outer.values() if isinstance(outer, dict) else outer)
        ]
    return False


def is_finite(value: object) -> bool:
    """Return whether a decoded value has no NaN and no infinity, which JSON can't represent. The
    value must be shallow."""
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, float) and not isfinite(inner):
            return False
        waiting += _inner(inner)
    return True


def _inner(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _containers(values: Iterable[object]) -> list[Any]:
    return [value for value in values if isinstance(value, (dict, list))]


def objects(value: object) -> list[JsonObject]:
    """Return the objects in a list; an empty list if the value isn't a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
