"""Translates a regular expression from Python's syntax to that of the `regex` package.

`regex` reads some patterns differently than Python (`a{e<=1}`, `[[:alpha:]]`), and copies repeated
parts: `a{1000}` becomes a thousand nodes. So Python's own parser parses the pattern, in linear
time. From the result, the number of nodes is computed, and an unambiguous pattern is written.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from lve.data_classes import dataclass, field
from lve.named_tuples import NamedTuple

_parser: Any = import_module("re._parser")

_SCOPED_FLAGS = {re.ASCII: "a", re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s"}
_PLACES = {
    "AT_BEGINNING": "^",
    "AT_BEGINNING_STRING": r"\A",
    "AT_BOUNDARY": r"\b",
    "AT_NON_BOUNDARY": r"\B",
    "AT_END": "$",
    "AT_END_STRING": r"\Z",
}
_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
_WORD_PLACES = frozenset({"AT_BOUNDARY", "AT_NON_BOUNDARY"})
_PLAIN = frozenset({"ANY", "AT", "BRANCH", "IN", "LITERAL", "NOT_LITERAL", "SUBPATTERN"})
"""What may be in a pattern that is plain: see `Spelled.is_plain`."""
_MAX_PLAIN = 2_000
"""Maximum number of nodes of a plain pattern: `re` compiles so many within 10 ms."""
_MAX_LATIN = 0xFF
_NODES_OF_A_REPEAT = 3
_NODES_OF_AN_EMPTY_GROUP = 10
"""`regex` takes quadratic time for empty groups side by side."""


class Piece(NamedTuple):
    """A piece of a pattern, translated."""

    text: str
    weight: int
    """Number of nodes that `regex` needs for it."""
    literal: int | None = None
    """Number of characters if it is a literal text, else None."""


class Spelled(NamedTuple):
    """A pattern in the syntax of `regex`."""

    text: str
    flags: int
    """Python's flags, including those in the pattern (`(?i)`)."""
    weight: int
    """Number of nodes in the compiled pattern."""
    step: int
    """See `lve.regexes.patterns.Pattern.step`."""
    is_plain: bool
    """Whether `re` finds the same as `regex`, in a time proportional to `weight` for each character
    of a text: nothing repeats, at most one place has alternatives, and no letter stands for others
    (classes of characters, which the two define differently, and IGNORECASE)."""


def spell(pattern: str, flags: int) -> Spelled:
    """Translate a pattern from Python's `re` for `regex`.

    Raises:
        re.error: Python refuses it.
        RecursionError: it is nested too deeply.
        OverflowError: a repetition count is too large.
    """
    with warnings.catch_warnings():
        # Python warns that `[[` and the like may change their meaning
        warnings.simplefilter("ignore")
        tree = _parser.parse(pattern, flags)
    speller = _Speller({number: name for name, number in tree.state.groupdict.items()})
    piece = speller.sequence(tree)
    step = max(speller.longest_literal, len(speller.members))
    flags = tree.state.flags
    is_simple = speller.branches <= 1 and piece.weight <= _MAX_PLAIN
    is_plain = speller.is_plain and is_simple and not flags & re.IGNORECASE
    return Spelled(piece.text, flags, piece.weight, step, is_plain)


@dataclass(slots=True, repr=False, eq=False)
class _Speller:
    """Translates the nodes of a parsed pattern. Each method translates one kind of node."""

    names: dict[int, str]
    """Number of a group -> its name."""
    members: set[object] = field(default_factory=set)
    """All characters, ranges and categories in the pattern. No set in it can have more members."""
    longest_literal: int = 0
    branches: int = 0
    is_plain: bool = True

    def sequence(self, items: Iterable[Any]) -> Piece:
        items = list(items)
        self.is_plain = self.is_plain and all(str(op) in _PLAIN for op, _ in items)
        pieces = [_SPELLERS[str(op)](self, value) for op, value in items]
        run = 0
        for piece in pieces:
            run = 0 if piece.literal is None else run + piece.literal
            self.longest_literal = max(self.longest_literal, run)
        is_literal = all(piece.literal is not None for piece in pieces)
        return Piece(
            "".join(piece.text for piece in pieces),
            sum(piece.weight for piece in pieces),
            run if is_literal else None,
        )

    def literal(self, code: int) -> Piece:
        self.members.add(code)
        return Piece(_character(code), 1, 1)

    def not_literal(self, code: int) -> Piece:
        self.members.add(code)
        return Piece(f"[^{_character(code)}]", 1)

    def any(self, _: None) -> Piece:
        return Piece(".", 1)

    def set(self, items: list[Any]) -> Piece:
        self.members.update(items)
        self.is_plain = self.is_plain and all(_is_narrow(str(op), value) for op, value in items)
        text = "".join(_member(str(op), value) for op, value in items)
        return Piece(f"[{text}]", 1 + len(items))

    def place(self, place: Any) -> Piece:
        self.is_plain = self.is_plain and str(place) not in _WORD_PLACES
        return Piece(_PLACES[str(place)], 1)

    def branch(self, value: tuple[None, list[Any]]) -> Piece:
        self.branches += 1
        pieces = [self.sequence(items) for items in value[1]]
        text = "|".join(piece.text for piece in pieces)
        return Piece(f"(?:{text})", sum(piece.weight + 2 for piece in pieces))

    def group(self, value: tuple[int | None, int, int, Any]) -> Piece:
        number, on, off, items = value
        self.is_plain = self.is_plain and not on and not off
        inner = self.sequence(items)
        if number is None:
            return Piece(f"(?{_letters(on, off)}:{inner.text})", inner.weight + 1, inner.literal)
        opening = f"(?P<{self.names[number]}>" if number in self.names else "("
        weight = inner.weight + 2 if inner.weight else _NODES_OF_AN_EMPTY_GROUP
        return Piece(f"{opening}{inner.text})", weight)

    def repeat(self, value: tuple[int, int, Any], suffix: str) -> Piece:
        least, most, items = int(value[0]), value[1], value[2]
        inner = self.sequence(items)
        limit = "" if most == _parser.MAXREPEAT else int(most)
        text = f"(?:{inner.text}){{{least},{limit}}}{suffix}"
        # `regex` copies the required repetitions, and has one more copy for the optional ones
        return Piece(text, inner.weight * (least + 1) + _NODES_OF_A_REPEAT)

    def atomic(self, items: Any) -> Piece:
        inner = self.sequence(items)
        return Piece(f"(?>{inner.text})", inner.weight + 2)

    def look(self, value: tuple[int, Any], sign: str) -> Piece:
        direction, items = value
        if direction < 0:
            least, most = items.getwidth()
            if least != most:
                raise re.error("look-behind requires fixed-width pattern")
        inner = self.sequence(items)
        opening = f"(?{'<' if direction < 0 else ''}{sign}"
        return Piece(f"{opening}{inner.text})", inner.weight + 2)

    def reference(self, number: int) -> Piece:
        return Piece(f"\\g<{number}>", 1)

    def condition(self, value: tuple[int, Any, Any]) -> Piece:
        number, yes_items, no_items = value
        yes, no = self.sequence(yes_items), self.sequence(no_items or ())
        text = f"(?({number})(?:{yes.text})|(?:{no.text}))"
        return Piece(text, yes.weight + no.weight + 3)

    def never(self, _: None) -> Piece:
        return Piece("(?!)", 2)


_SPELLERS: dict[str, Callable[[_Speller, Any], Piece]] = {
    "ANY": _Speller.any,
    "ASSERT": lambda speller, value: speller.look(value, "="),
    "ASSERT_NOT": lambda speller, value: speller.look(value, "!"),
    "AT": _Speller.place,
    "ATOMIC_GROUP": _Speller.atomic,
    "BRANCH": _Speller.branch,
    "FAILURE": _Speller.never,
    "GROUPREF": _Speller.reference,
    "GROUPREF_EXISTS": _Speller.condition,
    "IN": _Speller.set,
    "LITERAL": _Speller.literal,
    "MAX_REPEAT": lambda speller, value: speller.repeat(value, ""),
    "MIN_REPEAT": lambda speller, value: speller.repeat(value, "?"),
    "NOT_LITERAL": _Speller.not_literal,
    "POSSESSIVE_REPEAT": lambda speller, value: speller.repeat(value, "+"),
    "SUBPATTERN": _Speller.group,
}
"""Name of an operation of Python's parser -> the method that translates it."""


def _is_narrow(op: str, value: Any) -> bool:
    """Return whether a member of a set has only characters of Latin-1. `re` takes 5 ms to compile a
    set with others."""
    if op == "RANGE":
        return bool(value[1] <= _MAX_LATIN)
    return op == "NEGATE" or (op == "LITERAL" and bool(value <= _MAX_LATIN))


def _member(op: str, value: Any) -> str:
    if op == "NEGATE":
        return "^"
    if op == "CATEGORY":
        return _CATEGORIES[str(value)]
    if op == "RANGE":
        return f"{_character(value[0])}-{_character(value[1])}"
    return _character(value)


def _character(code: int) -> str:
    character = chr(code)
    plain = code > 0x7F or (character.isalnum() and character.isascii())
    return character if plain else f"\\x{code:02x}"


def _letters(on: int, off: int) -> str:
    """Return the flags that a group switches on and off: `i-s`."""
    more = "".join(letter for flag, letter in _SCOPED_FLAGS.items() if on & flag)
    less = "".join(letter for flag, letter in _SCOPED_FLAGS.items() if off & flag)
    return f"{more}-{less}" if less else more
