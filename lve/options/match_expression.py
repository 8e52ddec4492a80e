"""The expressions of `-k`: words joined by `and`, `or`, `not` and parentheses, as in pytest.

A word is true if some text contains it. If that isn't known yet, the word is None, and so is an
expression whose value depends on it: `x and y` is False if `y` is, whatever `x` is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lve.named_tuples import NamedTuple

MAX_CHARACTERS = 1_000
MAX_DEPTH = 50
_TOKEN = re.compile(
    r"""\s*(?:(?P<sign>[()])|'(?P<one>[^']*)'|"(?P<two>[^"]*)"|(?P<word>[^\s()'"]+))"""
)
_JOINING = ("and", "or", "not")
HINT = """such as "privacy and not (name=Ana or 'two words')\""""

Truth = bool | None
"""True, False, or None for not known yet."""
HasWord = Callable[[str], Truth]
"""Returns whether a text contains a word."""
Holds = Callable[[HasWord], Truth]
"""A parsed expression: takes the function for its words, returns the value of the expression."""


class ExpressionError(ValueError):
    """A text isn't an expression. The message says where and why."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"an expression {HINT}: it {problem}")


class _Token(NamedTuple):
    text: str
    place: int
    """Position of its first character, from 1."""
    is_word: bool = False


def parse_expression(text: str) -> Holds:
    """Parse an expression.

    Args:
        text: the expression. Case doesn't matter.

    Raises:
        ExpressionError: it isn't an expression.
    """
    if len(text) > MAX_CHARACTERS:
        raise ExpressionError(f"has more than {MAX_CHARACTERS:,} characters")
    parser = _Parser([*_tokens(text)], len(text) + 1)
    holds = parser.any_of(0)
    if parser.next is not None:
        raise parser.unexpected("and, or, or the end")
    return holds


def _tokens(text: str) -> Iterator[_Token]:
    place = 0
    while text[place:].strip():
        match = _TOKEN.match(text, place)
        if match is None:
            start = place + len(text[place:]) - len(text[place:].lstrip())
            raise ExpressionError(f"has a quote at character {start + 1} that isn't closed")
        kind = match.lastgroup or ""
        word, start = match[kind], match.start(kind) + 1
        is_word = kind in ("one", "two") or (kind == "word" and word.lower() not in _JOINING)
        if is_word and not word:
            raise ExpressionError(f"has an empty word at character {start - 1}")
        yield _Token(word.lower(), start, is_word)
        place = match.end()


class _Parser:
    """Reads tokens from left to right; each method reads one kind of expression."""

    def __init__(self, tokens: list[_Token], end: int) -> None:
        self._tokens = tokens
        self._end = end
        self._read = 0

    @property
    def next(self) -> _Token | None:
        """The next token; None at the end."""
        return self._tokens[self._read] if self._read < len(self._tokens) else None

    def unexpected(self, expected: str) -> ExpressionError:
        """Return an error about the next token; `expected` is what should be there."""
        token = self.next
        if token is None:
            return ExpressionError(f"ends where {expected} should come")
        return ExpressionError(f"has '{token.text}' at character {token.place}, not {expected}")

    def any_of(self, depth: int) -> Holds:
        """Parse expressions joined by `or`."""
        parts = [self._all_of(depth)]
        while self._took("or"):
            parts.append(self._all_of(depth))
        return _either(parts)

    def _all_of(self, depth: int) -> Holds:
        parts = [self._one(depth)]
        while self._took("and"):
            parts.append(self._one(depth))
        return parts[0] if len(parts) == 1 else _not(_either([_not(part) for part in parts]))

    def _one(self, depth: int) -> Holds:
        if depth > MAX_DEPTH:
            raise ExpressionError(f"is nested more than {MAX_DEPTH} levels deep")
        if self._took("not"):
            return _not(self._one(depth + 1))
        if self._took("("):
            inner = self.any_of(depth + 1)
            if not self._took(")"):
                raise self.unexpected("')'")
            return inner
        token = self.next
        if token is None or not token.is_word:
            raise self.unexpected("a word")
        self._read += 1
        return lambda has_word: has_word(token.text)

    def _took(self, text: str) -> bool:
        token = self.next
        if token is None or token.is_word or token.text != text:
            return False
        self._read += 1
        return True


def _not(holds: Holds) -> Holds:
    def negated(has_word: HasWord) -> Truth:
        truth = holds(has_word)
        return None if truth is None else not truth

    return negated


def _either(parts: list[Holds]) -> Holds:
    if len(parts) == 1:
        return parts[0]

    def either(has_word: HasWord) -> Truth:
        truths = [part(has_word) for part in parts]
        return True if True in truths else None if None in truths else False

    return either
