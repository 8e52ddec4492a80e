"""Phrases that answers are read by, as patterns: `patterns.txt`."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("patterns.txt")
"""A pattern's name in brackets, and its parts in the lines after it, two spaces before each; among
these are names of other patterns: `<<verb>>`."""


@cache
def _patterns() -> dict[str, str]:
    parts = re.split(r"(?m)^\[(\w+)\]\n", TABLE.read_text(encoding="utf-8"))
    names, texts = parts[1::2], parts[2::2]
    return {
        name: "".join(re.findall(r"(?m)^  (.+)$", text))
        for name, text in zip(names, texts, strict=True)
    }


def pattern(name: str) -> str:
    """Return the pattern of some phrases."""
    return re.sub(r"<<(\w+)>>", lambda other: pattern(other[1]), _patterns()[name])
