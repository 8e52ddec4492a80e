"""Converts plain YAML scalars by YAML 1.2's core schema, except values that JSON doesn't have."""

from __future__ import annotations

import re

from lve.documents.places import MAX_BITS, MAX_DIGITS, TOO_MANY_DIGITS

_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_PREFIXED = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")
_NOT_A_NUMBER = re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z")
_NUMERIC_START = frozenset("0123456789+-.")


class ScalarError(ValueError):
    """A scalar has no equivalent in JSON.

    Attributes:
        hint: what to do about it, or None.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def plain_value(text: str) -> str | int | float | None:
    """Return the value of a scalar that has neither quotes nor a tag.

    Raises:
        ScalarError: it is a number that is too large or infinite, or NaN.
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in _NUMERIC_START:
        return text
    if _INTEGER.match(text) or _PREFIXED.match(text):
        return _integer(text)
    if _NOT_A_NUMBER.match(text):
        raise ScalarError(f"`{text}` is not a number in JSON", "write null or a text")
    return _float(text) if _FLOAT.match(text) else text


def _integer(text: str) -> int:
    is_decimal = text.lstrip("+-").isdigit()  # other bases are parsed in linear time
    if not is_decimal or len(text) <= MAX_DIGITS:
        number = int(text, 0)
        if number.bit_length() <= MAX_BITS:
            return number
    raise ScalarError(TOO_MANY_DIGITS, "put quotes around it if it is a text")


def _float(text: str) -> float:
    number = float(text)
    if abs(number) == float("inf"):
        raise ScalarError(f"{text[:20]} is too large for a number")
    return number
