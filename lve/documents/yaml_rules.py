"""Values of plain YAML scalars, and messages about YAML that lve refuses.

Plain scalars follow YAML 1.2's core schema, except for values that JSON doesn't have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lve.documents.position_types import MAX_BITS, MAX_DIGITS, TOO_MANY_DIGITS, Finding, LineIndex
from lve.escape import head

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that YAML doesn't allow. Written as all but those that it allows, it would take 30
million instructions to compile."""

_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_PREFIXED = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")
_NOT_A_NUMBER = re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z")
_ENTRY = re.compile(r"\s*(?:- +)*(?P<key>[\w$.-]{1,100}: +)?(?P<value>\S.*)")
"""A line of a mapping or a list, split into key and value."""
_REST = re.compile(r"\s*(#.*)?\Z")
_COLON = re.compile(r":(\s|\Z)")
MOST_SHOWN = 40
"""Maximum number of characters that a hint repeats of a text."""
_NUMERIC_START = frozenset("0123456789+-.")


class ScalarError(ValueError):
    """A scalar has no equivalent in JSON.

    Attributes:
        hint: what the user can do about it, or None.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def plain_value(text: str) -> str | int | float | None:
    """Return the value of a plain scalar: one without quotes and without a tag.

    Raises:
        ScalarError: it is NaN, infinite, or a number that is too large.
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
        raise ScalarError(f"{head(text, 20)} is too large for a number")
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
    message = f"{context}, {problem}" if context else problem
    if at_tab:
        hint: str | None = "indent with blanks, not with tabs"
    elif (unquoted := _unquoted(lines, line - 1)) is not None:
        line, column, message, hint = unquoted
    else:
        hint = None
    return Finding(f"not valid YAML: {message}", line, column, None, hint)


def _unquoted(lines: Sequence[str], last: int) -> tuple[int, int, str, str] | None:
    """Return line, column, message and hint if the likely cause of a syntax error is a text without
    quotes, in the line of the error or in the line before.

    Args:
        lines: the lines of the document.
        last: index of the line with the error.
    """
    before = [index for index in range(min(last, len(lines)) - 1, -1, -1) if lines[index].strip()]
    for index in (last, *before[:1]):
        entry = _ENTRY.match(lines[index]) if index < len(lines) else None
        reason = _why_quoted(entry["value"]) if entry is not None else None
        if entry is not None and reason is not None:
            hint = _how_quoted(entry["key"] or "- ", entry["value"])
            return index + 1, entry.start("value") + 1, reason, hint
    return None


def _how_quoted(key: str, value: str) -> str:
    if key.strip() == "check:" and value[0] not in "\"'{[" and _COLON.search(value) is not None:
        return f"put braces around the check: check: {{{head(value.strip(), MOST_SHOWN)}}}"
    return f"put quotes around the text: {key}{_quoted(_ended_early(value) or value)}"


def _ended_early(value: str) -> str | None:
    """Return the content of a quoted text that contains its own quote; None for other values."""
    first, inner = value[0], value.rstrip()[1:-1]
    if first not in "\"'" or not inner or value.rstrip()[-1] != first:
        return None
    if re.search(rf"{first}\s*:\s", inner) is not None:  # a key and its value
        return None
    others = inner.replace("''", "") if first == "'" else re.sub(r"\\.", "", inner)
    return inner if first in others else None


def _why_quoted(value: str) -> str | None:
    """Return why YAML can't read a line's value as a text; None if it can."""
    first = value[0]
    if first in "{[":
        closed = value.rfind("}" if first == "{" else "]")
        what = "a mapping" if first == "{" else "a list"
        has_text = closed > 0 and _REST.match(value[closed + 1 :]) is None
        return f"`{first}` begins {what}, and there is text after its end" if has_text else None
    if _ended_early(value) is not None:
        return "a quote inside of the text ends it"
    if first in "\"'":
        closed = value.rfind(first)
        has_text = closed > 0 and _REST.match(value[closed + 1 :]) is None
        return "there is text after the closing quote" if has_text else None
    if first in "@`%*&!":
        sign = "a backtick" if first == "`" else f"`{first}`"
        return f"{sign} means something else in YAML where a value begins"
    if _COLON.search(value) is not None:
        return "a colon with a blank after it makes a text the key of a mapping"
    return None


def _quoted(value: str) -> str:
    """Return a text in quotes, shortened."""
    excerpt = value.strip()
    excerpt = f"{head(excerpt, MOST_SHOWN)}..." if len(excerpt) > MOST_SHOWN else excerpt
    return (
        f'"{excerpt}"' if '"' not in excerpt and "\\" not in excerpt else f"'{_doubled(excerpt)}'"
    )


def _doubled(text: str) -> str:
    return text.replace("'", "''")
