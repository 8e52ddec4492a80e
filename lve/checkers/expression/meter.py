"""The meter of an evaluation: what each step costs, and when the budget is used up.

A unit is about the cost of one loop iteration. Every operation whose time or memory depends on its
input is charged, so that an evaluation ends within about a second, whatever the expression.
"""

from __future__ import annotations

import re
from collections.abc import Sized
from types import GeneratorType
from typing import Any, TypeVar

from lve.checkers.judging_limits import ACTIVE, UNITS, LimitError
from lve.documents.position_types import MAX_NESTING

Value = TypeVar("Value")

MAX_TEXT = 1_000_000
"""The most characters of a text that an expression makes."""
MAX_INT_BITS = 4096
"""The most bits of an integer that an expression makes."""
MAX_WIDTH = 9999
"""The largest width in a format specification."""
_DIGITS = re.compile(r"\d+")
_MAX_SPEC = 60
"""The most characters of a format specification."""
MAX_SOURCE = 20_000
"""The most characters of an expression."""

MAX_COLLISIONS = 32
"""The most values with the same hash in one set or dict."""

CONTAINERS = frozenset({list, tuple, set, frozenset, dict})
_NUMBERS = frozenset({int, float, bool, type(None)})
_CHARACTERS_MADE = 6
_CHARACTERS_SEARCHED = 8
_CHARACTERS_READ = 10
_COMPARISONS = 12
"""Binary logarithms of how much text costs one unit: making 2**6 characters, searching 2**8,
reading 2**10, or comparing 2**12 pairs of characters in a search that compares all pairs."""
_SEARCHED_IN_PAIRS = 30_000
"""Searching a longer text forwards takes time proportional to the text alone."""
_BIG_INT_BITS = 60
"""Larger integers cost units, and can be chosen to have equal hashes."""


class Meter:
    """The remaining budget of one evaluation."""

    __slots__ = ("left", "patterns", "seconds")

    def __init__(self) -> None:
        limits = ACTIVE.limits
        self.left = limits.units
        self.seconds = limits.regex_seconds
        self.patterns: set[object] | None = None
        """Regular expressions whose compilation has been charged."""

    def charge(self, units: int) -> None:
        """Take `units` off the budget.

        Raises:
            LimitError: the budget is used up.
        """
        self.left -= units
        if self.left < 0:
            raise too_many_steps()

    def made(self, value: Any) -> Any:
        """Charge for a new value and return it."""
        kind = type(value)
        if kind is str:
            self.text_size(len(value))
        elif kind is int:
            if value.bit_length() > _BIG_INT_BITS:
                self.int_size(value.bit_length())
        elif kind in CONTAINERS:
            self.charge(len(value) + 4)
        elif kind is bytes or kind is bytearray:
            self.text_size(len(value))
        return value

    def text_size(self, length: int) -> None:
        """Charge for a text of `length` characters, before it is made."""
        if length > MAX_TEXT:
            raise LimitError(f"the expression makes a text of more than {MAX_TEXT:,} characters")
        self.left -= length >> _CHARACTERS_MADE  # inlined `charge`, as this is called often
        if self.left < 0:
            raise too_many_steps()

    def int_size(self, bits: int) -> None:
        """Charge for an integer of `bits` bits, before it is made."""
        if bits > MAX_INT_BITS:
            raise LimitError(f"the expression makes a number of more than {MAX_INT_BITS} bits")
        if bits > _BIG_INT_BITS:
            self.charge(bits >> 5)

    def read(self, value: Any, nesting: int = 0) -> Any:
        """Charge for reading a value with all nested values, and return it.

        A list that contains the same list many times is small in memory, but huge when it is
        printed, compared or hashed. So each element is charged before that is done.
        """
        kind = type(value)
        if kind is str:
            self.charge(len(value) >> _CHARACTERS_READ)
        elif kind in CONTAINERS:
            self._read_container(value, nesting + 1)
        elif kind is int and value.bit_length() > _BIG_INT_BITS:
            self.charge(value.bit_length() >> 5)
        elif kind is bytes:
            self.charge(len(value) >> _CHARACTERS_READ)
        return value

    def searched(self, text: str, sought: str = "", *, backwards: bool = False) -> None:
        """Charge for searching a text, which is slower than reading it.

        Args:
            text: the text to search.
            sought: the text to find; one character if empty.
            backwards: whether the search starts at the end, where Python compares all pairs.
        """
        length, width = len(text), len(sought)
        units = length >> _CHARACTERS_SEARCHED
        if 1 < width < length and (backwards or length < _SEARCHED_IN_PAIRS):
            units += (length - width) * width >> _COMPARISONS
        self.left -= units
        if self.left < 0:
            raise too_many_steps()

    def pairs(self, first: int, second: int) -> None:
        """Charge for comparing each of `first` characters with each of `second`."""
        self.charge((first >> _CHARACTERS_SEARCHED) + (first * second >> _COMPARISONS))

    def sorted(self, values: list[Value]) -> list[Value]:
        """Charge for sorting values, which reads each of them several times; return them."""
        before = self.left
        self.read(values)
        self.charge((before - self.left) * len(values).bit_length() >> 3)
        return values

    def shown(self, value: Value) -> Value:
        """Charge for converting a value to text, before that is done, and return the value."""
        self.text_size(self.size_shown(value))
        return value

    def size_shown(self, value: Any, nesting: int = 0) -> int:
        """Charge for reading a value; return its approximate length as text."""
        kind = type(value)
        if kind is str:
            return len(value)
        if kind not in CONTAINERS:
            self.read(value)
            return value.bit_length() // 3 if kind is int else 8
        self._enter(value, nesting)
        size = 2 * len(value)
        parts = (*value.keys(), *value.values()) if kind is dict else value
        for part in parts:
            size += self.size_shown(part, nesting + 1)
            if size > MAX_TEXT:
                break
        return size

    def _enter(self, value: Sized, nesting: int) -> None:
        """Charge for a container without its elements."""
        if nesting > MAX_NESTING:
            raise LimitError(f"a value is nested more than {MAX_NESTING} deep")
        self.charge(len(value) + 1)

    def _read_container(self, value: Any, nesting: int) -> None:
        self._enter(value, nesting)
        if type(value) is dict:
            for key, element in value.items():
                self.read(key, nesting)
                self.read(element, nesting)
            return
        for element in value:
            kind = type(element)
            if kind not in _NUMBERS or kind is int:
                self.read(element, nesting)

    def hashed(self, values: list[Value]) -> list[Value]:
        """Charge for putting values into a set or dict and return them.

        Raises:
            LimitError: too many values have equal hashes. Every access to such a set or dict would
                take as long as a search of all its values.
        """
        self.read(values)
        classes: dict[int, list[object]] = {}
        for value in values:
            if _can_be_chosen(value):
                alike = classes.setdefault(hash(value), [])
                if value not in alike:
                    alike.append(value)
                    if len(alike) > MAX_COLLISIONS:
                        raise LimitError("a set or dict of values with equal hashes")
        return values

    def iterated(self, value: Any) -> Any:
        """Charge for iterating over `value` and return it. Generators charge themselves.

        Raises:
            TypeError: `value` is not iterable.
        """
        if type(value) is not GeneratorType:
            self.charge(len(value))
        return value


def too_many_steps() -> LimitError:
    """Return the error for an evaluation whose budget is used up."""
    return LimitError(f"the expression takes more than {UNITS:,} steps")


def _can_be_chosen(value: Any) -> bool:
    """Return whether it is easy to choose many values of this type with the same hash. Hashes of
    texts are random, and small numbers are their own hashes."""
    kind = type(value)
    if kind is int:
        return bool(value.bit_length() > _BIG_INT_BITS)
    return kind is tuple or kind is frozenset


def widths_of(spec: str) -> list[int]:
    """Return the numbers in a format specification: width and precision, if it has them.

    Raises:
        LimitError: the specification or a number is too large.
    """
    if len(spec) > _MAX_SPEC:
        raise LimitError(f"a format specification of more than {_MAX_SPEC} characters")
    widths = [int(number) for number in _DIGITS.findall(spec)]
    if widths and max(widths) > MAX_WIDTH:
        raise LimitError(f"a width or precision of more than {MAX_WIDTH} in '{spec}'")
    return widths
