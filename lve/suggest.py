"""Suggests the known word closest to a misspelt one: "did you mean ...?"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

MAX_CHARACTERS = 100
"""Longer words get no suggestion."""
MAX_KNOWN = 1000
"""How many known words are compared; each takes up to 0.1 ms. For all suggestions about one test,
`lve.limits.effort.COMPARISONS` is the limit."""


def closest(word: str, choices: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the known word that is closest to a misspelt one; None if none is similar enough.

    Args:
        word: the misspelt word.
        choices: the correct words. `-`, `_`, spaces and upper case make no difference.
        cutoff: the least similarity, from 0 to 1 (difflib's ratio).
    """
    from difflib import get_close_matches

    from lve.limits.effort import may_compare

    if len(word) > MAX_CHARACTERS:
        return None
    # Choices may come from a document that wasn't checked yet.
    names = [name for name in islice(choices, MAX_KNOWN) if isinstance(name, str)]
    if not may_compare(len(names)):
        return None
    spelled: dict[str, str] = {}
    for name in names:
        if name != word:
            spelled.setdefault(_normal(name), name)
    matches = get_close_matches(_normal(word), spelled, n=1, cutoff=cutoff)
    return spelled[matches[0]] if matches else None


def did_you_mean(word: str, choices: Iterable[str]) -> str | None:
    """Return "did you mean `x`?", or None if no known word is close."""
    correction = closest(word, choices)
    return None if correction is None else f"did you mean `{correction}`?"


@lru_cache(maxsize=MAX_KNOWN)
def _normal(name: str) -> str:
    return re.sub(r"[^\w/]+|_+", "_", name).lower()
