"""The slow JSON parser: it knows where everything stands and says what is wrong in plain words."""

from __future__ import annotations

import json
import re

from lve.spec.places import MAX_NESTING, Finding, JsonPath, LineIndex, Places

_BLANK = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9A-Za-z_.+-])")
_WORD = re.compile(r"[-+]?[A-Za-z0-9_.+-]+")
_CONSTANTS = ("true", "false", "null")
_MEANT = {"True": "true", "False": "false", "None": "null", "yes": "true", "no": "false"}
_MAX_DIGITS = 4000  # below the limit at which Python refuses to read a number


class _SyntaxProblem(Exception):
    """Nothing after this point can be trusted."""


class JsonScan:
    """One pass over a JSON text.

    Attributes:
        places: where every value and key stands (up to the first syntax error).
    """

    def __init__(self, text: str) -> None:
        self.places = Places()
        self._text = text
        self._lines = LineIndex(text)
        self._at = 0
        self._findings: list[Finding] = []

    def problems(self) -> list[Finding]:
        """Return what is wrong, in the order of the text."""
        if self._findings:
            return sorted(self._findings, key=lambda finding: (finding.line, finding.column))
        return [Finding("this can't be read as JSON", 1, 1)]

    def run(self) -> None:
        """Scan the whole text. A syntax error ends the scan."""
        try:
            self._blanks()
            if self._at == len(self._text):
                self._stop("the file is empty")
            self._value((), 0)
            self._blanks()
            if self._at < len(self._text):
                self._stop("there is more text after the end of the document")
        except _SyntaxProblem:
            pass

    def _value(self, path: JsonPath, depth: int) -> None:
        self.places.values[path] = self._lines.place(self._at)
        if depth > MAX_NESTING:
            self._stop(f"nested more than {MAX_NESTING} levels deep")
        mark = self._text[self._at : self._at + 1]
        if mark == "{":
            self._object(path, depth)
        elif mark == "[":
            self._array(path, depth)
        elif mark == '"':
            self._string(path)
        else:
            self._number_or_word(path)

    def _object(self, path: JsonPath, depth: int) -> None:
        opened = self._at
        self._at += 1
        self._blanks()
        seen: set[str] = set()
        while not self._take("}"):
            if seen:
                self._separator("}", opened)
            self._key(path, depth, seen, opened)
            self._blanks()

    def _key(self, path: JsonPath, depth: int, seen: set[str], opened: int) -> None:
        start = self._at
        if self._text[start : start + 1] != '"':
            self._no_key(opened)
        key = self._string(path)
        inner = (*path, key)
        if key in seen:
            self._find(f"`{key}` is there twice", start, inner, "remove one of them")
        seen.add(key)
        self.places.keys[inner] = self._lines.place(start)
        self._blanks()
        if not self._take(":"):
            self._stop(f"a `:` is missing after the key `{key}`", path=path)
        self._blanks()
        self._value(inner, depth + 1)

    def _no_key(self, opened: int) -> None:
        if self._at == len(self._text):
            self._never_closed(opened)
        self._comment_or_quote()
        self._stop("expected a key in double quotes")

    def _array(self, path: JsonPath, depth: int) -> None:
        opened = self._at
        self._at += 1
        self._blanks()
        index = 0
        while not self._take("]"):
            if index:
                self._separator("]", opened)
            self._value((*path, index), depth + 1)
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

    def _string(self, path: JsonPath) -> str:
        match = _STRING.match(self._text, self._at)
        if match is None:
            self._bad_string(path)
            return ""
        value: str = json.loads(match[0])
        if any("\ud800" <= character <= "\udfff" for character in value):
            self._find("half of a surrogate pair is not a character", self._at, path)
        self._at = match.end()
        return value

    def _bad_string(self, path: JsonPath) -> None:
        good = re.compile(_STRING.pattern[:-1]).match(self._text, self._at)
        at = good.end() if good else self._at
        rest = self._text[at : at + 2]
        if rest[:1] == "\\":
            hint = f"for a backslash write `\\{rest}`" if len(rest) == 2 else None
            self._stop(f"`{rest}` is not an escape in JSON", at=at, path=path, hint=hint)
        if rest[:1] == "":
            self._stop("this text is never closed", path=path, hint='a `"` is missing')
        self._stop(
            "a line break or control character inside a text",
            at=at,
            path=path,
            hint="write it as an escape, such as `\\n`",
        )

    def _number_or_word(self, path: JsonPath) -> None:
        start = self._at
        number = _NUMBER.match(self._text, start)
        if number is not None:
            self._at = number.end()
            self._check_number(number[0], start, path)
            return
        word = _WORD.match(self._text, start)
        if word is None:
            self._no_value(path)
            return
        self._at = word.end()
        if word[0] not in _CONSTANTS:
            self._bad_word(word[0], start, path)

    def _check_number(self, digits: str, start: int, path: JsonPath) -> None:
        if len(digits) > _MAX_DIGITS:
            self._find("a number with too many digits", start, path)
        elif abs(float(digits)) == float("inf") and not digits.lstrip("-").isdigit():
            self._find(f"{digits[:20]} is too large for a number", start, path)

    def _bad_word(self, word: str, start: int, path: JsonPath) -> None:
        shown = word if len(word) <= 30 else word[:30] + "..."
        if word.lstrip("+-").lower() in ("nan", "infinity", "inf"):
            self._find(f"`{shown}` is not a number in JSON", start, path, "write null or a text")
            return
        meant = _MEANT.get(word)
        hint = f"did you mean `{meant}`?" if meant else "texts stand in double quotes"
        self._stop(f"`{shown}` is not a JSON value", at=start, path=path, hint=hint)

    def _no_value(self, path: JsonPath) -> None:
        if self._at == len(self._text):
            self._stop("the document ends where a value should be", path=path)
        self._comment_or_quote()
        self._stop("expected a value here", path=path)

    def _comment_or_quote(self) -> None:
        if self._text[self._at] == "'":
            self._stop("texts stand in double quotes in JSON, not in single ones")
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

    def _find(self, message: str, at: int, path: JsonPath, hint: str | None = None) -> None:
        self._findings.append(Finding(message, *self._lines.place(at), path, hint))

    def _stop(
        self,
        message: str,
        *,
        at: int | None = None,
        path: JsonPath | None = None,
        hint: str | None = None,
    ) -> None:
        place = self._lines.place(self._at if at is None else at)
        self._findings.append(Finding(message, *place, path, hint))
        raise _SyntaxProblem
