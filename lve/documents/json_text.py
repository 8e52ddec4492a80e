"""Parses JSON texts strictly and within limits, and explains what is wrong with them.

The fast parser is that of the standard library, with three hooks. If it refuses a text, `json_scan`
parses the text again, in Python, and finds all positions and problems. It has messages of its own,
because those of the standard library differ between Python versions and have the position after the
mistake.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from lve.documents.position_types import (
    MAX_NESTING,
    TOO_DEEP,
    TOO_MANY_VALUES,
    Finding,
    Places,
    TextError,
    is_too_large,
    merge_conflict,
)
from lve.escape import head

JSON_BLANKS = " \t\r\n"
"""White space between values."""
_BLANKS = re.compile(f"[{JSON_BLANKS}]*")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key occurs twice")
    return result


def _no_constant(word: str) -> None:
    raise ValueError(f"`{word}` is not a number in JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{head(digits, 20)} is too large for a number")
    return number


class UnusableError(ValueError):
    """A JSON value can be parsed, but is nested too deeply or has half a surrogate pair.

    Attributes:
        end: offset of its end in the text.
    """

    def __init__(self, message: str, end: int) -> None:
        super().__init__(message)
        self.end = end


STRICT_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
)
"""Refuses duplicate keys, NaN and Infinity with a ValueError."""
_scan = STRICT_DECODER.scan_once  # type: ignore[attr-defined]  # the stubs leave it out
"""The C function behind `raw_decode`."""


def parse_json(text: str) -> object:
    """Return the value of a JSON text.

    Raises:
        TextError: it isn't valid; the error has all problems.
    """
    try:
        return decode_json(text)
    except ValueError as error:
        raise _explained(text, error) from None


def _explained(text: str, error: ValueError) -> TextError:
    """Return the problems of a text that the fast parser refused with `error`."""
    conflict = merge_conflict(text)
    return TextError([conflict] if conflict else _scanned(text, error)[1])


def json_places(text: str) -> Places:
    """Return the positions of all values and keys of a JSON text."""
    return _scanned(text)[0]


def _scanned(text: str, error: ValueError | None = None) -> tuple[Places, list[Finding]]:
    """Return the positions in a JSON text, and the problems of one refused with `error`."""
    from lve.documents.json_scan import JsonScan  # late: most texts have no problems

    scan = JsonScan(text)
    return scan.places, [] if error is None else scan.problems(error)


def decode_json(text: str) -> object:
    """Return the value of a JSON text, as `parse_json` does, but without explaining problems.

    Raises:
        ValueError: it isn't valid; the message may not say why and where.
    """
    if is_too_large(text):
        raise ValueError(TOO_MANY_VALUES)
    text = text.strip(JSON_BLANKS)
    value, end = decode_next(text, 0)
    if end != len(text):
        raise ValueError("there is more text after the end of the document")
    return value


def decode_written(text: str) -> Any:
    """Return the value of a JSON text from a file that lve writes. It may have been forged.

    Half a surrogate pair is allowed: answers and file names may have one.

    Raises:
        ValueError: it isn't valid JSON, is too large or nested too deeply.
    """
    if is_too_large(text):
        raise ValueError(TOO_MANY_VALUES)
    try:
        value = STRICT_DECODER.decode(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    # In a result, the values of a document are a few levels deeper.
    if text.count("{") + text.count("[") > MAX_NESTING and is_too_deep(value, 2 * MAX_NESTING):
        raise ValueError(TOO_DEEP)
    return value


def decode_next(text: str, at: int) -> tuple[object, int]:
    """Return the JSON value that begins at an offset, and the offset of its end.

    Raises:
        UnusableError: it is nested too deeply, or has half a surrogate pair.
        ValueError: it isn't valid JSON; the message may not say why and where.
    """
    try:
        value, end = _scan(text, at)
    except StopIteration as stop:
        raise json.JSONDecodeError("Expecting value", text, stop.value) from None
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    # This runs for every row, so it skips checks that a short text without escapes can't fail.
    if end - at > 2 * MAX_NESTING and _may_be_deep(text, at, end) and is_too_deep(value):
        raise UnusableError(TOO_DEEP, end)
    has_escapes = text.find("\\u", at, end) >= 0
    if has_escapes and _may_have_surrogates(text, at, end) and has_lone_surrogate(value):
        raise UnusableError("half of a surrogate pair is not a character", end)
    return value, end


def list_items(text: str) -> Iterator[tuple[object, int, int]]:
    """Yield the values of a JSON list one at a time, each with its start and end offset.

    Raises:
        TextError: the text isn't valid; raised after the values before the mistake.
    """
    try:
        yield from _items(text)
    except ValueError as error:
        raise _explained(text, error) from None


def _items(text: str) -> Iterator[tuple[object, int, int]]:
    if is_too_large(text):
        raise ValueError(TOO_MANY_VALUES)
    at = _next_sign(text, 0)
    if text[at : at + 1] != "[":
        raise json.JSONDecodeError("Expecting a list", text, at)
    at = _next_sign(text, at + 1)
    while text[at : at + 1] != "]":
        value, end = decode_next(text, at)
        yield value, at, end
        at = _next_sign(text, end)
        if text[at : at + 1] == ",":
            at = _next_sign(text, at + 1)
            if text[at : at + 1] == "]":
                raise json.JSONDecodeError("Expecting value", text, at)
        elif text[at : at + 1] != "]":
            raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
    if _next_sign(text, at + 1) != len(text):
        raise json.JSONDecodeError("Extra data", text, at + 1)


def _next_sign(text: str, at: int) -> int:
    """Return the offset of the next character that isn't white space."""
    blanks = _BLANKS.match(text, at)
    assert blanks is not None
    return blanks.end()


def _may_be_deep(text: str, at: int, end: int) -> bool:
    return text.count("{", at, end) + text.count("[", at, end) > MAX_NESTING


def _may_have_surrogates(text: str, at: int, end: int) -> bool:
    # `find` rather than a slice, which would copy the text
    return text.find("\\ud", at, end) >= 0 or text.find("\\uD", at, end) >= 0


def has_lone_surrogate(value: object) -> bool:
    """Return whether a value has half a surrogate pair, which can't be sent or stored as UTF-8."""
    return has_surrogates(json.dumps(value, ensure_ascii=False))


def whole_characters(text: str) -> str:
    """Return a text with the halves of surrogate pairs joined, which a server may send in two
    pieces. A half without the other, which is no character, becomes U+FFFD."""
    if has_surrogates(text):
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def has_surrogates(text: str) -> bool:
    """Return whether a text has halves of surrogate pairs."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def is_too_deep(value: object, levels: int = MAX_NESTING) -> bool:
    """Return whether lists and objects are nested more than `levels` deep."""
    inner = [value]
    for _ in range(levels + 1):
        inner = [
            deeper
            for outer in inner
            if isinstance(outer, dict | list)
            for deeper in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(deeper, dict | list)
        ]
        if not inner:
            return False
    return True
