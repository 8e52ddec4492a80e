"""Long texts made short enough for a page."""

from __future__ import annotations

import json
from typing import NamedTuple

MAX_CHARACTERS = 20_000
"""Of one text on a page; how many more there are is said."""


class Clipped(NamedTuple):
    """The beginning of a text."""

    text: str
    left_out: int = 0
    """Characters that are left out."""


def clipped(text: str, most: int = MAX_CHARACTERS) -> Clipped:
    """Return a text, or the beginning of a longer one."""
    return Clipped(text[:most], max(len(text) - most, 0))


def value_text(value: object, most: int = MAX_CHARACTERS) -> Clipped:
    """Return a value of a test document or an instance as text: a text as it is, others as JSON."""
    if isinstance(value, str):
        return clipped(value, most)
    return clipped(json.dumps(value, ensure_ascii=False, default=str), most)
