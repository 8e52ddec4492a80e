"""Phrases that answers are read by, as patterns: `patterns.txt`."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("patterns.txt")
"""A pattern's name in brackets, and its parts in the lines after it, two spaces before each; among
these are names of other patterns: `<<verb>>`."""


@cache
def patterns_in(file: Path) -> dict[str, str]:
    """Return name -> pattern, of a file such as `patterns.txt`.

    Raises:
        ValueError: a name occurs twice.
    """
    parts = re.split(r"(?m)^\[(\w+)\]\n", file.read_text(encoding="utf-8"))
    patterns: dict[str, str] = {}
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        if name in patterns:
            raise ValueError(f"{file} has [{name}] twice")
        patterns[name] = "".join(re.findall(r"(?m)^  (.+)$", text))
    return patterns


def pattern(name: str) -> str:
    """Return the pattern of some phrases."""
    return re.sub(r"<<(\w+)>>", lambda other: pattern(other[1]), patterns_in(TABLE)[name])
