"""Words that stand beside numbers, in lists: `word_lists.tsv`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("word_lists.tsv")
"""A list's name and its words, in a line each."""


@cache
def lists_in(file: Path) -> dict[str, frozenset[str]]:
    """Return name -> words, of a file such as `word_lists.tsv`.

    Raises:
        ValueError: a name occurs twice.
    """
    lists: dict[str, frozenset[str]] = {}
    for name, *words in map(str.split, file.read_text(encoding="utf-8").splitlines()):
        if name in lists:
            raise ValueError(f"{file} has {name} twice")
        lists[name] = frozenset(words)
    return lists


def word_list(name: str) -> frozenset[str]:
    """Return the words of a list, in lower case."""
    return lists_in(TABLE)[name]
