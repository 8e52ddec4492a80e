"""Reads answers that say "none" where a number is asked for: "There are no solutions."."""

from __future__ import annotations

import re
from fractions import Fraction

from lve.checkers.extract.numerals.quantities import Quantity
from lve.checkers.shape.patterns import pattern

_NOTHING = re.compile(pattern("nothing"))
_LONGEST = 100
"""The most characters of such an answer."""


def of_nothing(text: str) -> tuple[Quantity, ...]:
    """Return zero if a text without a number says that there is nothing of what is counted."""
    if len(text) > _LONGEST or _NOTHING.fullmatch(text) is None:
        return ()
    return (Quantity(0, len(text), (Fraction(0),), is_word=True),)
