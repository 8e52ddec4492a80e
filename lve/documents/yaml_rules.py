"""What lve takes from YAML, and how it says what it doesn't take.

Plain scalars follow YAML 1.2's core schema, except for values that JSON doesn't have.
"""

from __future__ import annotations

import re

from lve.documents.places import MAX_BITS, MAX_DIGITS, TOO_MANY_DIGITS, Finding, LineIndex

_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

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


def is_printable(text: str) -> bool:
    """Return whether YAML allows all characters of a text."""
    return (text.isascii() and text.isprintable()) or _FORBIDDEN.search(text) is None


def unprintable(text: str) -> Finding:
    """Return a finding about the first character that YAML doesn't allow."""
    match = _FORBIDDEN.search(text)
    assert match is not None
    message = f"the control character U+{ord(match[0]):04X} is not allowed in YAML"
    hint = 'write it as an escape inside double quotes, such as "\\x07"'
    return Finding(message, *LineIndex(text).place(match.start()), None, hint)


def syntax_finding(err: object, text: str) -> Finding:
    """Return the parser's error as a finding."""
    mark = getattr(err, "problem_mark", None) or getattr(err, "context_mark", None)
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    lines = text.split("\n")
    at_tab = line <= len(lines) and lines[line - 1][column - 1 : column] == "\t"
    problem = getattr(err, "problem", None) or "this can't be read"
    context = getattr(err, "context", None)
    said = f"{context}, {problem}" if context else problem
    hint = "indent with blanks, not with tabs" if at_tab else None
    return Finding(f"not valid YAML: {said}", line, column, None, hint)
