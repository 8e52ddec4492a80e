"""Shortens long texts for a page."""

from __future__ import annotations

import json

from lve.escape import head
from lve.named_tuples import NamedTuple

MAX_LABEL = 200
"""The most characters of a title, an address or the name of a model."""
MAX_LISTED = 50
"""The most arguments, and examples, of a check."""
MAX_CHARACTERS = 20_000
"""The most characters of one text on a page."""


class Clipped(NamedTuple):
    """A text, or the beginning of a longer one."""

    text: str
    left_out: int = 0
    """Number of characters that are left out."""


def clipped(text: str, most: int = MAX_CHARACTERS) -> Clipped:
    """Return the first `most` characters of a text."""
    return Clipped(head(text, most), max(len(text) - most, 0))


def value_text(value: object, most: int = MAX_CHARACTERS) -> Clipped:
    """Return a value of a document or instance as text: a text unchanged, others as JSON."""
    if isinstance(value, str):
        return clipped(value, most)
    return clipped(json.dumps(value, ensure_ascii=False, default=str), most)
