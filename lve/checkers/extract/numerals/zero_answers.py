"""Reads answers that say "none" where a number is asked for: "There are no solutions."."""

from __future__ import annotations

import re
from fractions import Fraction

from lve.checkers.extract.quantities.quantity import Quantity
from lve.checkers.shape.patterns import pattern

_NOTHING = re.compile(pattern("nothing"))
NONE_BECAUSE = re.compile(pattern("none_because"))
"""Such an answer with its reason, whose numbers aren't the answer."""
_LONGEST = 100
"""The most characters of such an answer."""


def of_nothing(text: str) -> tuple[Quantity, ...]:
    """Return zero if a text says that there is nothing of what is counted, and no number but in its
    reason."""
    is_none = NONE_BECAUSE.match(text) or (len(text) <= _LONGEST and _NOTHING.fullmatch(text))
    return (Quantity(0, len(text), (Fraction(0),), is_word=True),) if is_none else ()
