"""JSON texts: a fast strict parser, and a slow one that knows where everything stands.

Nearly all documents are fine, so `parse_json` is the standard library's C parser with three strict
hooks. Only when a problem has to be shown, `scan_json` goes over the text once more, in Python, and
finds every place and every problem. Its messages are our own: those of the standard library differ
between Python versions and name positions after the mistake.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from lve.spec.places import MAX_NESTING, Places, TextError

if TYPE_CHECKING:
    from lve.spec.json_scan import JsonScan

JSON_BLANKS = " \t\r\n"
"""White space between values."""
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("duplicate key")
    return result


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError("number too large")
    return number


STRICT_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
)
"""Refuses duplicate keys, NaN and Infinity with a ValueError."""


def parse_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        TextError: with everything that is wrong.
    """
    try:
        value = STRICT_DECODER.decode(text)
        suspicious = _is_too_deep(text) or has_lone_surrogate(text, value)
    except (ValueError, RecursionError):
        suspicious = True
    if suspicious:
        raise TextError(scan_json(text).problems())
    return value


def json_places(text: str) -> Places:
    """Return where everything stands in a JSON text."""
    return scan_json(text).places


def scan_json(text: str) -> JsonScan:
    """Return all places and problems of a JSON text."""
    from lve.spec.json_scan import JsonScan  # most runs never need it

    scan = JsonScan(text)
    scan.run()
    return scan


def has_lone_surrogate(text: str, value: Any) -> bool:
    """Return whether `value`, parsed from `text`, has half a surrogate pair: such text can't be
    written as UTF-8, so it could never be sent or stored."""
    if "\\ud" not in text and "\\uD" not in text:
        return False
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _is_too_deep(text: str) -> bool:
    if text.count("{") + text.count("[") <= MAX_NESTING:
        return False
    depth = 0
    for match in _BRACKETS.finditer(text):
        mark = match[0][0]
        if mark in "[{":
            depth += 1
            if depth > MAX_NESTING:
                return True
        elif mark in "]}":
            depth -= 1
    return False
