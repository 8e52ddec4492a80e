"""Reads JSON with the mistakes that models make: comments, trailing commas, bare keys, other
quotes, unescaped quotes in texts, thousands separators, Python's constants."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from lve.documents.json_text import is_too_deep
from lve.documents.position_types import MAX_NESTING

MAX_STARTS = 200
"""The most opening brackets at which a value is tried."""
_FENCE = re.compile(r"```[ \t]*[\w-]*[ \t]*\r?\n?(.*?)```", re.DOTALL)
_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/|#[^\n]*)*", re.DOTALL)
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:[,_]\d{3})+|\d+)?(?:\.\d*)?(?:[eE][-+]?\d{1,4})?")
_WORD = re.compile(r"[^\W\d][\w$-]*")
_CONSTANTS: dict[str, object] = {
    "true": True, "True": True, "false": False, "False": False, "null": None, "None": None,
}  # fmt: skip
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d\u201c\u201f", "\u2018": "\u2019\u2018", "`": "`"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_DECODER = json.JSONDecoder(strict=False)


class NotJsonError(ValueError):
    """A text is no JSON, even with the accepted mistakes."""


def json_values(text: str) -> list[object]:
    """Return the JSON objects and lists in an answer, in order. An answer that is a JSON value as a
    whole gives that value alone."""
    text = text.strip().lstrip("\ufeff").strip()
    for candidate in (text, _unfenced(text)):
        try:
            value = _DECODER.decode(candidate)
        except (ValueError, RecursionError):
            continue
        if not is_too_deep(value):  # before Python 3.12, the decoder stops there itself
            return [value]
    return list(_embedded(text))


def _unfenced(text: str) -> str:
    fence = _FENCE.fullmatch(text)
    return fence[1].strip() if fence else text


def _embedded(text: str) -> Iterator[object]:
    place, left = 0, 8 * len(text)
    for _ in range(MAX_STARTS):
        start = re.compile(r"[{\[]").search(text, place)
        if start is None or left < 0:
            return
        reader = _Reader(text, start.start())
        try:
            value = reader.value(0)
        except NotJsonError:
            left -= reader.place - start.start()
            place = start.end()
            continue
        place = max(reader.place, start.end())
        yield value


class _Reader:
    """Reads one value from a text, starting at `place`."""

    def __init__(self, text: str, place: int) -> None:
        self.text = text
        self.place = place

    def value(self, depth: int) -> object:
        """Read a value at `place`, and move `place` to its end.

        Raises:
            NotJsonError: there is no valid value.
        """
        if depth > MAX_NESTING:
            raise NotJsonError("nested too deeply")
        character = self._next()
        if character == "{":
            return self._object(depth)
        if character == "[":
            return self._list(depth)
        if character in _QUOTES:
            return self._text()
        number = _NUMBER.match(self.text, self.place)
        if number and re.search(r"\d", number[0]):
            return self._number(number)
        word = _WORD.match(self.text, self.place)
        if word and word[0] in _CONSTANTS:
            self.place = word.end()
            return _CONSTANTS[word[0]]
        raise NotJsonError(f"no value at character {self.place + 1}")

    def _next(self) -> str:
        blank = _BLANK.match(self.text, self.place)
        assert blank is not None
        self.place = blank.end()
        return self.text[self.place : self.place + 1]

    def _object(self, depth: int) -> dict[str, object]:
        self.place += 1
        members: dict[str, object] = {}
        while self._next() != "}":
            key = self._key()
            if self._next() not in (":", "="):
                raise NotJsonError(f"no `:` at character {self.place + 1}")
            self.place += 1
            members[key] = self.value(depth + 1)
            self._separator("}")
        self.place += 1
        return members

    def _list(self, depth: int) -> list[object]:
        self.place += 1
        elements = []
        while self._next() != "]":
            elements.append(self.value(depth + 1))
            self._separator("]")
        self.place += 1
        return elements

    def _separator(self, end: str) -> None:
        character = self._next()
        if character == ",":
            self.place += 1
        elif character != end:
            raise NotJsonError(f"no `,` at character {self.place + 1}")

    def _key(self) -> str:
        if self.text[self.place] in _QUOTES:
            return self._text()
        word = _WORD.match(self.text, self.place) or re.compile(r"\d+").match(self.text, self.place)
        if word is None:
            raise NotJsonError(f"no key at character {self.place + 1}")
        self.place = word.end()
        return word[0]

    def _number(self, match: re.Match[str]) -> int | float:
        self.place = match.end()
        digits = match[0].replace(",", "").replace("_", "").lstrip("+")
        try:
            return int(digits) if re.fullmatch(r"-?\d{1,400}", digits) else float(digits)
        except ValueError:
            raise NotJsonError(f"no number at character {match.start() + 1}") from None

    def _text(self) -> str:
        closing = _QUOTES[self.text[self.place]]
        self.place += 1
        parts: list[str] = []
        while self.place < len(self.text):
            character = self.text[self.place]
            if character == "\\":
                parts.append(self._escaped())
                continue
            if character in closing and self._closes():
                self.place += 1
                return "".join(parts)
            parts.append(character)
            self.place += 1
        raise NotJsonError("a text that never ends")

    def _closes(self) -> bool:
        """Return whether the quotation mark at `place` ends a text: JSON syntax follows it."""
        rest = self.text[self.place + 1 : self.place + 200].lstrip()
        if not rest or rest[0] in "}]:":
            return True
        if rest[0] == ",":
            after = rest[1:].lstrip()
            return not after or after[0] in "\"'\u201c\u2018`{[]}-/#" or _goes_on(after)
        return rest.startswith(("//", "/*", "#", "```"))

    def _escaped(self) -> str:
        code = self.text[self.place + 1 : self.place + 2]
        self.place += 2
        if code == "u":
            digits = self.text[self.place : self.place + 4]
            if re.fullmatch(r"[0-9a-fA-F]{4}", digits):
                self.place += 4
                return chr(int(digits, 16))
        return _ESCAPES.get(code, code)


def _goes_on(text: str) -> bool:
    """Return whether a text after a comma looks like another key or value."""
    return re.match(r"(?:[\w$-]+\s*:|-?\d|(?:true|false|null|True|False|None)\b)", text) is not None
