"""Writes and reads the JSON of lve's own files and streams: single lines of valid ASCII JSON."""

from __future__ import annotations

import codecs
import json
import math
import os
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring_ascii
from typing import Any

import orjson

from lve.documents.json_text import decode_written
from lve.documents.position_types import MAX_BITS, MAX_NESTING, TOO_DEEP
from lve.files.file_text import file_text


def json_writer(
    *,
    sort_keys: bool = False,
    allow_nan: bool = False,
    default: Callable[[Any], object] | None = None,
) -> Callable[[object], str]:
    """Return a function that writes compact JSON in ASCII.

    It doesn't check for circular references, which saves a quarter of the time: values from files
    and servers have none. They are a RecursionError.

    Args:
        sort_keys: whether the keys of objects are sorted.
        allow_nan: whether NaN and infinity are written as Python spells them; otherwise they are a
            ValueError.
        default: returns what is written for a value that JSON doesn't have; without it, such a
            value is a TypeError.
    """
    encoder = json.JSONEncoder(
        separators=(",", ":"),
        allow_nan=allow_nan,
        check_circular=False,
        sort_keys=sort_keys,
        default=default,
    )
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # a Python without the C part
        return encoder.encode
    # `encode` would create this in every call.
    pieces = make(
        None, encoder.default, encode_basestring_ascii, None, ":", ",", sort_keys, False, allow_nan
    )
    return lambda value: "".join(pieces(value, 0))


_MAX_FAST = 1_000_000
"""Maximum length of a line for the fast parser; a line that it can't use is parsed twice."""
DEEPEST = 2 * MAX_NESTING - 10
"""The most levels of a value that `plain` changes; readers accept a little more."""
_TEXTS = frozenset({str})
_DELETE = 0x7F
"""A number: `in` takes ten times as long for bytes, since it tries first whether they are one."""
_SIMPLE = frozenset({str, int, bool, type(None)})
_strict = json_writer()
_sorted = json_writer(sort_keys=True)


def json_line(value: object) -> str:
    """Return `value` as compact JSON on one line.

    It is ASCII, so that lone surrogates, control characters and U+2028 are safe with every reader.
    A value that JSON doesn't have is converted (`plain`): a strange value in a data set must not
    lose a result that was paid for.
    """
    try:
        return _strict(value)
    except (TypeError, ValueError, RecursionError):
        return _strict(plain(value))


def fast_json_line(value: object) -> str:
    """Do what `json_line` does in a tenth of the time. Numbers may be spelled differently.

    Args:
        value: must not contain NaN or infinity, which would become null.
    """
    try:
        line = orjson.dumps(value)
    except TypeError:  # an integer of more than 64 bits, half a surrogate pair, ...
        return json_line(value)
    if line.isascii() and _DELETE not in line:  # nearly always
        return line.decode("ascii")
    return _in_ascii(line).decode("ascii")


def _in_ascii(line: bytes) -> bytes:
    """Return JSON in ASCII. Characters that aren't printable ASCII only occur inside strings."""
    if not line.isascii():  # a fifth of the time that a regular expression takes
        line = line.decode().encode("ascii", _ESCAPES)
    return line.replace(b"\x7f", b"\\u007f") if _DELETE in line else line


def _escaped(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return encode_basestring_ascii(error.object[error.start : error.end])[1:-1], error.end


_ESCAPES = "lve.json"
codecs.register_error(_ESCAPES, _escaped)


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

    It takes half the time if `fast_json_line` wrote the line. The line may have been forged.

    Raises:
        ValueError: the line isn't valid JSON, is too large or nested too deeply.
    """
    if (
        len(line) <= _MAX_FAST
        and line.isascii()
        and line.count(b"{") + line.count(b"[") <= MAX_NESTING
    ):
        try:
            value = orjson.loads(line)
        except ValueError:
            return decode_written(line.decode("ascii"))
        # If writing it again gives the same line, it has no duplicate keys and no changed number.
        written = orjson.dumps(value)
        if written == line or _in_ascii(written) == line:
            return value
    return decode_written(line.decode("ascii"))


def canonical_json(value: object) -> str:
    """Return compact JSON with sorted keys, for hashing.

    Equal values give the same text in every process, and values that a model could tell apart give
    different texts. So values that JSON doesn't have are written in a form that JSON doesn't have
    either: `!nan`, or a date with its type.
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
    # The default repr has the address: equal values would differ, and different ones might not.
    has_default_repr = getattr(kind, "__repr__", None) is object.__repr__
    text = os.urandom(16).hex() if has_default_repr else repr(value)
    return f"!{kind.__module__}.{kind.__qualname__}{_strict(text)}"


def _place(item: tuple[object, object]) -> tuple[bool, str]:
    key = item[0]
    return (False, key) if isinstance(key, str) else (True, _exact(key))


def file_json(value: Any, write: Callable[[Any], str] = json_line) -> str:
    """Return a value as a file has it: JSON without secrets, which can be read again.

    Args:
        value: the value.
        write: returns a value as JSON.
    """
    whole = write(value)
    text = file_text(whole)
    if text == whole:
        return text
    try:
        decode_written(text)
    except ValueError:  # a secret of digits was a number, or one with quotes more than one value
        return write(_keyless(plain(value)))
    return text


def _keyless(value: object) -> object:
    if isinstance(value, dict):
        return {file_text(key): _keyless(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_keyless(item) for item in value]
    whole = value if isinstance(value, str) else _strict(value)
    text = file_text(whole)
    return value if text == whole else text


def plain(value: object, *, levels: int = DEEPEST) -> Any:
    """Return a value with JSON's types: keys are texts, sequences are lists, NaN and infinity are
    texts, so is a whole number of more than 4,300 digits (in hexadecimal), and anything else is
    converted by `str`. What is nested more than `levels` deep is left out."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= MAX_BITS else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping | list | tuple | set | frozenset) and not levels:
        return TOO_DEEP
    if isinstance(value, Mapping):
        return {_text(key): plain(item, levels=levels - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, levels=levels - 1) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(item, levels=levels - 1) for item in value), key=str)
    return str(value)


def is_plain_json(value: object, levels: int) -> bool:
    """Return whether a value has only JSON's types, is nested at most `levels` deep, and surely
    comes back as it is written. A mapping counts as an object."""
    kind = type(value)
    if kind in _SIMPLE:
        return True
    if kind is float:
        return math.isfinite(value)  # type: ignore[arg-type]
    if not levels:
        return False
    if kind is list:
        inner: Any = value
    elif isinstance(value, Mapping):
        if not _TEXTS.issuperset(map(type, value)):
            return False
        inner = value.values()
    else:
        return False
    for item in inner:
        if type(item) not in _SIMPLE and not is_plain_json(item, levels - 1):
            return False
    return True


def _text(key: object) -> str:
    return hex(key) if isinstance(key, int) and key.bit_length() > MAX_BITS else str(key)
