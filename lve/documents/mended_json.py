"""Reads one JSON value with the mistakes that models make."""

from __future__ import annotations

import re
from enum import IntEnum

from lve.documents.position_types import MAX_NESTING


class Mend(IntEnum):
    """Which mistakes are mended. Each step has those before it."""

    breaks = 1
    """Line breaks and tabs in a text that aren't escaped."""
    slips = 2
    """What leaves one meaning: a comma before a closing bracket, comments, and a backslash before a
    character that needs none. It stays before a letter (`\\sqrt`)."""
    habits = 3
    """What other languages write, or what is a guess: other quotes, quotes inside a text, bare
    keys, `=` for `:`, the constants of Python, hexadecimal numbers, `+1`, `.5`, `1_000`, and
    `2,850` as a member of an object."""


class NotJsonError(ValueError):
    """A text is no JSON value, even with the mistakes that are mended."""


class UnendedError(Exception):
    """A text ends inside a JSON value."""


class TooDeepError(Exception):
    """A value is nested more than `MAX_NESTING` levels deep."""


class DuplicateKeyError(Exception):
    """A JSON object has a key twice, so that its value is ambiguous."""


_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.{0,5000}?\*/|#[^\n]*)*", re.DOTALL)
"""Long comments are none: each that never ends would be searched to the end of the text."""
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\w.+])")
_HEX = re.compile(r"([-+]?)0[xX]([0-9a-fA-F]+)(?!\w)")
_MEMBER = re.compile(
    r"[-+]?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9]|\s*:)|[0-9][0-9_]*)?(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,4})?"
)
_ELEMENT = re.compile(r"[-+]?(?:[0-9][0-9_]*)?(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,4})?")
_WORD = re.compile(r"[^\W\d][\w$-]*")
_SIGNED_WORD = re.compile(r"[-+]?[^\W\d][\w$-]*")
_KEY = re.compile(r"[^\W\d][\w$-]*|[0-9]+")
_CONSTANTS: dict[str, object] = {"true": True, "false": False, "null": None}
_PYTHON_CONSTANTS: dict[str, object] = {"True": True, "False": False, "None": None}
_NO_NUMBERS: dict[str, object] = {
    "NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf"),
}  # fmt: skip
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d\u201c\u201f", "\u2018": "\u2019\u2018", "`": "`"}
_PLAIN = {quote: re.compile(rf"[^\\{closing}]+") for quote, closing in _QUOTES.items()}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_UNICODE = re.compile(
    r"u(?:([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|([0-9a-fA-F]{4}))"
)
_AFTER_COMMA = re.compile(
    r"[\"'\u201c\u2018`{}\[\]/#-]|[\w$-]+\s*:|[0-9]|(?:true|false|null|True|False|None)\b"
)


class MendedReader:
    """Reads values of one text.

    Attributes:
        place: where reading stopped.
        mistaken: the opening brackets around the mistakes of the texts read so far: reading from
            them stops at the same mistakes.
    """

    def __init__(self, text: str, mend: Mend, *, unique_keys: bool, with_nan: bool) -> None:
        """
        Args:
            text: the text.
            mend: which mistakes are mended: more than `Mend.breaks`.
            unique_keys: whether a key that occurs twice is an error.
            with_nan: whether NaN and Infinity are read.
        """
        self.place = 0
        self.mistaken: set[int] = set()
        self._text = text
        self._unique_keys = unique_keys
        self._has_habits = mend is Mend.habits
        self._quotes = _QUOTES if self._has_habits else {'"': '"'}
        self._constants = {
            **_CONSTANTS,
            **(_PYTHON_CONSTANTS if self._has_habits else {}),
            **(_NO_NUMBERS if with_nan else {}),
        }
        self._open: list[int] = []

    def value_at(self, start: int) -> tuple[object, int]:
        """Return the value that begins at `start`, and its end.

        Raises:
            NotJsonError: there is none.
            UnendedError: the text ends before it does.
            TooDeepError: it is nested too deeply.
            DuplicateKeyError: an object has a key twice, and keys must be unique.
        """
        self.place, self._open = start, []
        try:
            return self._value(is_member=False), self.place
        except NotJsonError:
            self.mistaken.update(self._open)
            raise

    def _value(self, *, is_member: bool) -> object:
        sign = self._next()
        if sign in "{[":
            if len(self._open) > MAX_NESTING:
                raise TooDeepError
            self._open.append(self.place)
            value = self._object() if sign == "{" else self._list()
            self._open.pop()
            return value
        if sign in self._quotes:
            return self._string()
        return self._number_or_word(is_member)

    def _next(self) -> str:
        """Move to the next character that isn't blank, and return it."""
        blank = _BLANK.match(self._text, self.place)
        assert blank is not None
        self.place = blank.end()
        if self.place == len(self._text):
            if "//" in blank[0] or "#" in blank[0]:
                raise self._error(
                    "nothing"
                )  # it may be an address or a heading rather than a comment
            raise UnendedError
        return self._text[self.place]

    def _object(self) -> dict[str, object]:
        self.place += 1
        members: dict[str, object] = {}
        while self._next() != "}":
            key = self._key()
            if self._next() != ":" and not (self._has_habits and self._text[self.place] == "="):
                raise self._error("no `:`")
            self.place += 1
            if self._unique_keys and key in members:
                raise DuplicateKeyError
            members[key] = self._value(is_member=True)
            self._separator("}")
        self.place += 1
        return members

    def _list(self) -> list[object]:
        self.place += 1
        elements = []
        while self._next() != "]":
            elements.append(self._value(is_member=False))
            self._separator("]")
        self.place += 1
        return elements

    def _separator(self, end: str) -> None:
        sign = self._next()
        if sign == ",":
            self.place += 1
        elif sign != end:
            raise self._error("no `,`")

    def _key(self) -> str:
        if self._text[self.place] in self._quotes:
            return self._string()
        word = _KEY.match(self._text, self.place) if self._has_habits else None
        if word is None:
            raise self._error("no key")
        self.place = word.end()
        return word[0]

    def _number_or_word(self, is_member: bool) -> object:
        if self._has_habits:
            patterns = (_MEMBER if is_member else _ELEMENT,)
            if number := _HEX.match(self._text, self.place):
                self.place = number.end()
                return int(number[1] + number[2], 16)
        else:
            patterns = (_NUMBER,)
        for pattern in patterns:
            number = pattern.match(self._text, self.place)
            if number and re.search("[0-9]", number[0]):
                return self._number(number)
        word = _SIGNED_WORD.match(self._text, self.place)
        if word and word[0] in self._constants:
            self.place = word.end()
            return self._constants[word[0]]
        if word and word.end() == len(self._text):
            raise UnendedError
        raise self._error("no value")

    def _number(self, number: re.Match[str]) -> int | float:
        digits = number[0].replace(",", "").replace("_", "").lstrip("+")
        try:
            value = int(digits) if digits.lstrip("-").isdecimal() else float(digits)
        except ValueError:  # too many digits
            raise self._error("no number") from None
        self.place = number.end()
        return value

    def _string(self) -> str:
        quote = self._text[self.place]
        closing, plain = self._quotes[quote], _PLAIN[quote]
        parts: list[str] = []
        is_guess = quote != '"'  # it may be an apostrophe
        self.place += 1
        while self.place < len(self._text):
            if piece := plain.match(self._text, self.place):
                parts.append(piece[0])
                self.place = piece.end()
            elif self._text[self.place] == "\\":
                parts.append(self._escaped())
            elif self._closes():
                self.place += 1
                return "".join(parts)
            else:
                is_guess = True
                parts.append(self._text[self.place])
                self.place += 1
        if is_guess:
            raise self._error(f"a text without {closing[0]}")
        raise UnendedError

    def _closes(self) -> bool:
        """Return whether the quotation mark at `place` ends a text: JSON syntax follows it."""
        if not self._has_habits:
            return True
        rest = self._text[self.place + 1 : self.place + 200].lstrip()
        if not rest or rest[0] in "}]:":
            return True
        if rest[0] == ",":
            after = rest[1:].lstrip()
            return not after or _AFTER_COMMA.match(after) is not None
        return rest.startswith(("//", "/*", "#", "```"))

    def _escaped(self) -> str:
        """Read an escape."""
        code = self._text[self.place + 1 : self.place + 2]
        character = _UNICODE.match(self._text, self.place + 1) if code == "u" else None
        if character is None:
            self.place += 2
            plain = f"\\{code}" if code.isalnum() else code
            return _ESCAPES.get(code, plain)
        self.place = character.end()
        high, low, single = character.groups()
        if single:
            return chr(int(single, 16))
        return chr(0x10000 + (int(high, 16) - 0xD800) * 0x400 + int(low, 16) - 0xDC00)

    def _error(self, problem: str) -> NotJsonError:
        return NotJsonError(f"{problem} at character {self.place + 1}")
