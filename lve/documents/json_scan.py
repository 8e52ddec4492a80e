"""The slow JSON parser: finds the position of every value and explains all problems."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import NoReturn

from lve.documents.position_types import (
    MAX_DIGITS,
    MAX_FINDINGS,
    MAX_NESTING,
    MAX_PLACED,
    OVER_LIMIT,
    SYNTAX,
    TOO_DEEP,
    TOO_MANY_DIGITS,
    TOO_MANY_FINDINGS,
    TOO_MANY_VALUES,
    TYPOGRAPHIC_QUOTES,
    Finding,
    LineIndex,
    Places,
    in_order,
    is_too_large,
)
from lve.escape import excerpt, head

_BLANK = re.compile(r"[ \t\r\n]*")
_PIECES = re.compile(r'(?:[^"\\\x00-\x1f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){0,1000}')
"""A part of a string's content. Limited, because the regex engine remembers every repetition."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9A-Za-z_.+-])")
_WORD = re.compile(r"[-+]?[A-Za-z0-9_.+-]+")
_CONSTANTS = ("true", "false", "null")
_MEANT = {"True": "true", "False": "false", "None": "null", "yes": "true", "no": "false"}


class _SyntaxProblem(Exception):
    """A syntax error, after which the rest of the text can't be parsed."""


class _TooLong(Exception):
    """The text has more than `MAX_PLACED` values; the rest isn't scanned."""


class JsonScan:
    """One pass over a JSON text, up to its end, the first syntax error or `MAX_PLACED` values.

    Attributes:
        places: the positions of all values and keys, up to the first syntax error.
    """

    def __init__(self, text: str) -> None:
        self.places = Places()
        self._text = text
        self._lines = LineIndex(text)
        self._at = 0
        self._findings: list[Finding] = []
        with suppress(_SyntaxProblem, _TooLong):
            self._document()

    def problems(self, error: ValueError) -> list[Finding]:
        """Return the problems in the order of the text.

        Args:
            error: the error of the fast parser, used if the scanned part has no problem.
        """
        if self._findings:
            return in_order(self._findings)
        if isinstance(error, json.JSONDecodeError):
            return [Finding(f"not valid JSON: {error.msg}", *self._lines.place(error.pos))]
        return [Finding(f"not valid JSON: {error}", *self._lines.place(self._at))]

    def _document(self) -> None:
        if is_too_large(self._text):
            self._stop(TOO_MANY_VALUES, code=OVER_LIMIT)
        self._blanks()
        if self._at == len(self._text):
            self._stop("the file is empty")
        self._value(0, 0)
        self._blanks()
        if self._at < len(self._text):
            self._stop("there is more text after the end of the document")

    def _value(self, node: int, depth: int) -> None:
        self.places.put(node, self._lines.place(self._at))
        if len(self.places) > MAX_PLACED:
            raise _TooLong
        mark = self._text[self._at : self._at + 1]
        if depth > MAX_NESTING and mark in ("{", "["):
            self._stop(TOO_DEEP, code=OVER_LIMIT)
        if mark == "{":
            self._object(node, depth)
        elif mark == "[":
            self._array(node, depth)
        elif mark == '"':
            self._string(node)
        else:
            self._number_or_word(node)

    def _object(self, node: int, depth: int) -> None:
        opened = self._at
        self._at += 1
        self._blanks()
        keys: set[str] = set()
        while not self._take("}"):
            if keys:
                self._separator("}", opened)
            self._key(node, depth, keys, opened)
            self._blanks()

    def _key(self, around: int, depth: int, keys: set[str], opened: int) -> None:
        start = self._at
        if self._text[start : start + 1] != '"':
            self._no_key(opened)
        place = self._lines.place(start)
        key = self._string(around)
        node = self.places.node(around, key)
        if key in keys:
            twice = f"`{excerpt(key)}` occurs twice"
            self._find(twice, start, node, "remove one of them", code="duplicate_key")
        keys.add(key)
        self.places.put_key(node, place)
        self._blanks()
        if not self._take(":"):
            self._stop(f"a `:` is missing after the key `{excerpt(key)}`", node=around)
        self._blanks()
        self._value(node, depth + 1)

    def _no_key(self, opened: int) -> None:
        if self._at == len(self._text):
            self._never_closed(opened)
        self._comment_or_quote()
        self._stop("expected a key in double quotes")

    def _array(self, node: int, depth: int) -> None:
        opened = self._at
        self._at += 1
        self._blanks()
        index = 0
        while not self._take("]"):
            if index:
                self._separator("]", opened)
            self._value(self.places.node(node, index), depth + 1)
            self._blanks()
            index += 1

    def _separator(self, closing: str, opened: int) -> None:
        comma = self._at
        if not self._take(","):
            if self._at == len(self._text):
                self._never_closed(opened)
            self._comment_or_quote()
            self._stop(f"expected `,` or `{closing}` here")
        self._blanks()
        if self._text[self._at : self._at + 1] == closing:
            self._stop(f"a comma right before `{closing}`", at=comma, hint="remove it")

    def _string(self, node: int) -> str:
        end = self._at + 1
        while (match := _PIECES.match(self._text, end)) and match.end() > end:
            end = match.end()
        if not self._text.startswith('"', end):
            self._bad_string(end, node)
        value: str = json.loads(self._text[self._at : end + 1])
        if _SURROGATE.search(value):
            self._find("half of a surrogate pair is not a character", self._at, node)
        self._at = end + 1
        return value

    def _bad_string(self, at: int, node: int) -> None:
        rest = self._text[at : at + 2]
        if rest[:1] == "\\":
            hint = f"for a backslash write `\\{rest}`" if len(rest) == 2 else None
            self._stop(f"`{rest}` is not an escape in JSON", at=at, node=node, hint=hint)
        if rest[:1] == "":
            self._stop("this text is never closed", node=node, hint='a `"` is missing')
        self._stop(
            "a line break or control character inside a text",
            at=at,
            node=node,
            hint="write it as an escape, such as `\\n`",
        )

    def _number_or_word(self, node: int) -> None:
        start = self._at
        number = _NUMBER.match(self._text, start)
        if number is not None:
            self._at = number.end()
            self._check_number(number[0], start, node)
            return
        word = _WORD.match(self._text, start)
        if word is None:
            self._no_value(node)
            return
        self._at = word.end()
        if word[0] not in _CONSTANTS:
            self._bad_word(word[0], start, node)

    def _check_number(self, digits: str, start: int, node: int) -> None:
        is_whole = digits.lstrip("-").isdigit()
        if is_whole and len(digits) > MAX_DIGITS:
            self._find(TOO_MANY_DIGITS, start, node)
        elif not is_whole and abs(float(digits)) == float("inf"):
            self._find(f"{head(digits, 20)} is too large for a number", start, node)

    def _bad_word(self, word: str, start: int, node: int) -> None:
        quoted = excerpt(word, 30)
        if word.lstrip("+-").lower() in ("nan", "infinity", "inf"):
            self._find(f"`{quoted}` is not a number in JSON", start, node, "write null or a text")
            return
        literal = _MEANT.get(word)
        hint = f"did you mean `{literal}`?" if literal else "write texts in double quotes"
        self._stop(f"`{quoted}` is not a JSON value", at=start, node=node, hint=hint)

    def _no_value(self, node: int) -> None:
        if self._at == len(self._text):
            self._stop("the document ends where a value should be", node=node)
        self._comment_or_quote()
        self._stop("expected a value here", node=node)

    def _comment_or_quote(self) -> None:
        if self._text[self._at] == "'":
            self._stop("JSON needs double quotes around texts, not single ones")
        if self._text[self._at] in TYPOGRAPHIC_QUOTES:
            message = f"`{self._text[self._at]}` is a typographic quote"
            self._stop(message, hint='JSON needs straight ones: "text"')
        if self._text[self._at] in "/#":
            self._stop("comments are not allowed in JSON", hint="a test.yaml may have comments")

    def _never_closed(self, opened: int) -> None:
        line, column = self._lines.place(opened)
        here, _ = self._lines.place(self._at)
        place = f"column {column}" if line == here else f"line {line}, column {column}"
        self._stop(f"the `{self._text[opened]}` of {place} is never closed")

    def _blanks(self) -> None:
        match = _BLANK.match(self._text, self._at)
        if match is not None:
            self._at = match.end()

    def _take(self, mark: str) -> bool:
        if not self._text.startswith(mark, self._at):
            return False
        self._at += len(mark)
        return True

    def _find(
        self, message: str, at: int, node: int, hint: str | None = None, *, code: str = SYNTAX
    ) -> None:
        if len(self._findings) == MAX_FINDINGS:
            self._stop(TOO_MANY_FINDINGS, at=at, code="more_problems")
        path = self.places.path(node)
        self._findings.append(Finding(message, *self._lines.place(at), path, hint, code))

    def _stop(
        self,
        message: str,
        *,
        at: int | None = None,
        node: int | None = None,
        hint: str | None = None,
        code: str = SYNTAX,
    ) -> NoReturn:
        place = self._lines.place(self._at if at is None else at)
        path = None if node is None else self.places.path(node)
        self._findings.append(Finding(message, *place, path, hint, code))
        raise _SyntaxProblem
