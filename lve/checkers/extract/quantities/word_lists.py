"""Words that stand beside numbers, in lists: `word_lists.tsv`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("word_lists.tsv")
"""A list's name and its words, in a line each."""


@cache
def _lists() -> dict[str, frozenset[str]]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return {
        name: frozenset(words.split()) for name, _, words in (li.partition("\t") for li in lines)
    }


def word_list(name: str) -> frozenset[str]:
    """Return the words of a list, in lower case."""
    return _lists()[name]
