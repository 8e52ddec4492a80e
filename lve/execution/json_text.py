"""JSON as our files and streams have it: one line, ASCII, valid whatever the values are."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring_ascii
from typing import Any

import orjson

from lve.documents.json_decode import decode_written
from lve.documents.places import MAX_NESTING


def _encoder(*, sort_keys: bool = False) -> Callable[[Any], str]:
    """Return a function that writes compact JSON.

    Values come from JSON and YAML files and from servers: no circles, so none are looked for, which
    makes it a quarter faster.
    """
    encoder = json.JSONEncoder(
        separators=(",", ":"), allow_nan=False, check_circular=False, sort_keys=sort_keys
    )
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # a Python without the C part
        return encoder.encode
    # What `encode` makes anew for every call.
    pieces = make(
        None, encoder.default, encode_basestring_ascii, None, ":", ",", sort_keys, False, False
    )
    return lambda value: "".join(pieces(value, 0))


_USUAL = 1_000_000
"""Characters of a line that nobody minds to read twice."""
_ODD = re.compile(r"[^ -~]+")
_strict = _encoder()
_sorted = _encoder(sort_keys=True)


def json_line(value: Any) -> str:
    """Return `value` as compact JSON on one line.

    ASCII only, so that lone surrogates, control characters and U+2028 survive every reader. What
    JSON can't say becomes what comes nearest (see `plain`): a strange value in a data set must not
    cost a result that was paid for.
    """
    try:
        return _strict(value)
    except (TypeError, ValueError):
        return _strict(plain(value))


def fast_json_line(value: Any) -> str:
    """Return what `json_line` returns, up to the spelling of numbers, in a tenth of its time.

    Args:
        value: holds no NaN and no infinity, which would become null.
    """
    try:
        line = orjson.dumps(value).decode()
    except TypeError:  # an integer of more than 64 bits, half a surrogate pair, ...
        return json_line(value)
    # Whatever isn't printable ASCII is inside a text.
    return line if line.isascii() and "\x7f" not in line else _ODD.sub(_escaped, line)


def _escaped(odd: re.Match[str]) -> str:
    return encode_basestring_ascii(odd[0])[1:-1]


def fast_json_value(text: str) -> Any:
    """Return the value of a JSON text. An integer of more than 64 bits becomes a float.

    Raises:
        ValueError: it is none.
    """
    try:
        return orjson.loads(text)
    except ValueError:  # also for half a surrogate pair, which the standard library takes
        return json.loads(text)


def fast_written_value(line: bytes) -> Any:
    """Return the value of a line that `fast_json_line` wrote, or somebody else in its place, as
    `decode_written` does; the first kind in half of its time.

    Raises:
        ValueError: it is no JSON, or one that nobody can handle.
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
        # It is the same when it is written again: so no key is there twice in it, and no number
        # has become another one.
        if orjson.dumps(value) == line or fast_json_line(value).encode("ascii") == line:
            return value
    return decode_written(line.decode("ascii"))


def canonical_json(value: Any) -> str:
    """Return compact JSON with sorted keys: the same text for equal values in every process, and
    different texts for values that a model could tell apart.

    What JSON can't say is written as no JSON text is (`NaN`, not `"nan"`; a date with its type).
    """
    try:
        return _sorted(value)
    except (TypeError, ValueError):
        return _exact(value)


def _exact(value: Any) -> str:
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
    # A text that says only where the value stands in memory says nothing about it.
    says_nothing = getattr(kind, "__repr__", None) is object.__repr__
    said = os.urandom(16).hex() if says_nothing else repr(value)
    return f"!{kind.__module__}.{kind.__qualname__}{_strict(said)}"


def _place(item: tuple[Any, Any]) -> tuple[bool, str]:
    key = item[0]
    return (False, key) if isinstance(key, str) else (True, _exact(key))


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
