"""What one evaluation may cost, and the meter that stops it.

One unit is about what one turn of a loop costs. Everything that takes time or memory in proportion
to its input pays for it, so that an evaluation ends within about a second whatever the test says.
"""

from __future__ import annotations

import re
from types import GeneratorType
from typing import Any

from lve.errors import CheckerError

UNITS = 1_000_000
"""Of one evaluation: half a second of loop turns."""
REGEX_SECONDS = 0.5
"""All regular expressions of one evaluation together."""
MAX_TEXT = 1_000_000
"""Characters of a text that an expression makes."""
MAX_INT_BITS = 4096
MAX_WIDTH = 9999
"""In a format specification."""
_MAX_SPEC = 60
"""Characters of a format specification."""
MAX_SOURCE = 20_000
"""Characters of an expression."""
MAX_DEPTH = 100
"""Nesting of an expression."""

CONTAINERS = frozenset({list, tuple, set, frozenset, dict})
_CHARACTERS_MADE = 6
_CHARACTERS_SEARCHED = 8
_CHARACTERS_READ = 10
"""Making text costs a unit per 2**6 characters, searching it one per 2**8, reading 2**10."""
_BIG_INT_BITS = 60
"""Above it, integers with equal hashes are easily made."""


class LimitError(CheckerError):
    """An expression or a regular expression would take too much time or memory."""


class Meter:
    """What is left of one evaluation's budget."""

    __slots__ = ("left", "seconds")

    def __init__(self) -> None:
        self.left = UNITS
        self.seconds = REGEX_SECONDS

    def charge(self, units: int) -> None:
        """Take `units` off the budget.

        Raises:
            LimitError: nothing is left.
        """
        self.left -= units
        if self.left < 0:
            raise LimitError(f"the expression takes more than {UNITS:,} steps")

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
        return value

    def text_size(self, length: int) -> None:
        """Charge for a text of that many characters, best before it is made."""
        if length > MAX_TEXT:
            raise LimitError(f"the expression makes a text of more than {MAX_TEXT:,} characters")
        self.charge(length >> _CHARACTERS_MADE)

    def int_size(self, bits: int) -> None:
        """Charge for an integer of that many bits, best before it is made."""
        if bits > MAX_INT_BITS:
            raise LimitError(f"the expression makes a number of more than {MAX_INT_BITS} bits")
        if bits > _BIG_INT_BITS:
            self.charge(bits >> 5)

    def read(self, value: Any) -> Any:
        """Charge for looking at the whole of a value, nested ones included, and return it.

        A list that holds the same list many times is small in memory and huge when it is printed,
        compared or hashed; so that is paid for, element by element, before it is done.
        """
        kind = type(value)
        if kind is str:
            self.charge(len(value) >> _CHARACTERS_READ)
        elif kind in CONTAINERS:
            self._read_container(value)
        elif kind is int and value.bit_length() > _BIG_INT_BITS:
            self.charge(value.bit_length() >> 5)
        return value

    def searched(self, text: str) -> None:
        """Charge for looking for something in a text, which is slower than reading it."""
        self.charge(len(text) >> _CHARACTERS_SEARCHED)

    def _read_container(self, value: Any) -> None:
        self.charge(len(value) + 1)
        if type(value) is dict:
            for key, element in value.items():
                self.read(key)
                self.read(element)
            return
        for element in value:
            if type(element) is not bool:
                self.read(element)

    def hashed(self, values: list[Any]) -> list[Any]:
        """Charge for putting values into a set or dict and return them.

        Big integers can be chosen to have equal hashes, which costs time in the square of their
        number.
        """
        self.read(values)
        big = sum(1 for v in values if type(v) is int and v.bit_length() > _BIG_INT_BITS)
        self.charge(big * big // 8)
        return values

    def iterated(self, value: Any) -> Any:
        """Charge for going through all of `value` and return it. Generators charge themselves.

        Raises:
            TypeError: it can't be gone through.
        """
        if type(value) is not GeneratorType:
            self.charge(len(value))
        return value


def check_format(spec: str) -> str:
    """Return a format specification.

    Raises:
        LimitError: its width or precision would make a huge text.
    """
    if len(spec) > _MAX_SPEC:
        raise LimitError(f"a format specification of more than {_MAX_SPEC} characters")
    if any(int(number) > MAX_WIDTH for number in re.findall(r"\d+", spec)):
        raise LimitError(f"a width or precision of more than {MAX_WIDTH} in '{spec}'")
    return spec
