"""Reads the word after a number where it can't be more than a word: `12 months`, most often."""

from __future__ import annotations

import re
from functools import lru_cache

from lve.checkers.extract.quantities.quantity_patterns import MAGNITUDES
from lve.checkers.extract.quantities.units import Units, read_units
from lve.checkers.extract.quantities.word_lists import word_list
from lve.checkers.shape.patterns import pattern

_PLAIN = re.compile(pattern("plain_unit"))
_NO_PLAIN_UNITS = {*MAGNITUDES, *word_list("no_plain_units")}
"""Words that may be no unit of their own, or a part of a longer one."""


def plain_unit(text: str, end: int) -> tuple[Units | None, int] | None:
    """Return what the word after a number that ends at `end` means, as `read_units` does, and where
    the quantity ends; None if there is more to read than a word."""
    word = _PLAIN.match(text, end)
    if word is None or word[1] in _NO_PLAIN_UNITS or "/" in text or "^" in text:
        return None
    units = _meaning(word[1])
    return units, word.end() if units else end


@lru_cache(maxsize=1024)
def _meaning(word: str) -> Units | None:
    return read_units(word, 0)[0]
