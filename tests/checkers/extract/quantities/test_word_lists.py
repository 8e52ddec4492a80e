"""Lists of words beside numbers."""

from __future__ import annotations

import pytest

from lve.checkers.extract.quantities.word_lists import word_list


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("nouns", "chapter"),
        ("nouns", "страница"),
        ("months", "sept"),
        ("no_names", "about"),
        ("function_words", "days'"),
        ("no_plain_units", "square"),
    ],
)
def test_a_list_has_its_words(name: str, word: str) -> None:
    assert word in word_list(name)


def test_words_are_in_lower_case() -> None:
    for name in ("nouns", "months", "no_names", "function_words", "no_plain_units"):
        assert all(word == word.lower() for word in word_list(name))
