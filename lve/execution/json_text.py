"""JSON as our files and streams have it: one line, ASCII, valid whatever the values are."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring_ascii
from typing import Any

import orjson


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


def canonical_json(value: Any) -> str:
    """Return compact JSON with sorted keys: the same text for equal values in every process."""
    try:
        return _sorted(value)
    except (TypeError, ValueError):
        return _sorted(plain(value))


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
