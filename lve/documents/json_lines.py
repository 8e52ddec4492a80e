"""Writes and reads the JSON of lve's own files and streams: one line, ASCII, always valid."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring_ascii
from typing import Any

import orjson

from lve.documents.json_text import decode_written
from lve.documents.places import MAX_NESTING


def json_writer(*, sort_keys: bool = False) -> Callable[[Any], str]:
    """Return a function that writes compact JSON in ASCII. NaN and what JSON doesn't have are a
    ValueError or TypeError.

    It doesn't check for circular values, which saves a quarter of the time: values from files and
    servers have none. One that has is a RecursionError.
    """
    encoder = json.JSONEncoder(
        separators=(",", ":"), allow_nan=False, check_circular=False, sort_keys=sort_keys
    )
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # a Python without the C part
        return encoder.encode
    # `encode` would make this for every call.
    pieces = make(
        None, encoder.default, encode_basestring_ascii, None, ":", ",", sort_keys, False, False
    )
    return lambda value: "".join(pieces(value, 0))


_USUAL = 1_000_000
"""Characters of a line that may be parsed twice."""
_ODD = re.compile(r"[^ -~]+")
_strict = json_writer()
_sorted = json_writer(sort_keys=True)


def json_line(value: object) -> str:
    """Return `value` as compact JSON on one line.

    It is ASCII, so that lone surrogates, control characters and U+2028 survive every reader. A
    value that JSON doesn't have is converted (`plain`), because a strange value in a data set must
    not cost a result that was paid for.
    """
    try:
        return _strict(value)
    except (TypeError, ValueError):
        return _strict(plain(value))


def fast_json_line(value: object) -> str:
    """Do what `json_line` does in a tenth of the time. Numbers may be spelled differently.

    Args:
        value: must not hold NaN or infinity, which would become null.
    """
    try:
        line = orjson.dumps(value).decode()
    except TypeError:  # an integer of more than 64 bits, half a surrogate pair, ...
        return json_line(value)
    # Characters that aren't printable ASCII only occur inside strings.
    return line if line.isascii() and "\x7f" not in line else _ODD.sub(_escaped, line)


def _escaped(odd: re.Match[str]) -> str:
    return encode_basestring_ascii(odd[0])[1:-1]


def fast_json_value(text: str | bytes) -> Any:
    """Return the value of a JSON text. An integer of more than 64 bits becomes a float.

    Raises:
        ValueError: it isn't JSON.
    """
    try:
        return orjson.loads(text)
    except ValueError:  # the standard library also accepts half a surrogate pair
        return json.loads(text)


def fast_written_value(line: bytes) -> Any:
    """Return the value of a line from a file that lve writes, as `decode_written` does.

    It takes half the time if `fast_json_line` wrote the line; it may have been forged.

    Raises:
        ValueError: it isn't valid JSON, too large or nested too deep.
    """
    if (
        len(line) <= _USUAL
        and line.isascii()
        and line.count(b"{") + line.count(b"[") <= MAX_NESTING
    ):
        try:
            value = orjson.loads(line)
        except ValueError:
            return decode_written(line.decode("ascii"))
        # Writing it again gives the same line: so it has no duplicate keys, and no number changed.
        if orjson.dumps(value) == line or fast_json_line(value).encode("ascii") == line:
            return value
    return decode_written(line.decode("ascii"))


def canonical_json(value: object) -> str:
    """Return compact JSON with sorted keys, for hashing.

    Equal values give the same text in every process; values that differ for a model give different
    texts. So a value that JSON doesn't have is written in a form that no JSON text has: `!nan`, a
    date with its type.
    """
    try:
        return _sorted(value)
    except (TypeError, ValueError):
        return _exact(value)


def _exact(value: object) -> str:
    if isinstance(value, Mapping):
        items = sorted(value.items(), key=_place)
        return "{" + ",".join(f"{_exact(key)}:{_exact(item)}" for key, item in items) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_exact, value)) + "]"
    if isinstance(value, set | frozenset):
        return "!set[" + ",".join(sorted(map(_exact, value))) + "]"
    if value is None or isinstance(value, str | bool | int):
        return _strict(value)
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else f"!{float(value)}"
    kind = type(value)
    # The default repr only holds the address: equal values would differ, and others might not.
    has_default_repr = getattr(kind, "__repr__", None) is object.__repr__
    text = os.urandom(16).hex() if has_default_repr else repr(value)
    return f"!{kind.__module__}.{kind.__qualname__}{_strict(text)}"


def _place(item: tuple[Any, Any]) -> tuple[bool, str]:
    key = item[0]
    return (False, key) if isinstance(key, str) else (True, _exact(key))


def plain(value: object) -> Any:
    """Convert a value to JSON's types: text keys, lists for sequences, texts for NaN and infinity,
    `str` for anything else."""
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
