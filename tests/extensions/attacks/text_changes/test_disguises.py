"""Disguises can be read again, and those by chance are the same each time."""

from __future__ import annotations

import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.extensions.attacks.by_name import attacked
from lve.extensions.attacks.text_changes.disguises import HOMOGLYPHS
from lve.extensions.attacks.text_changes.images import HEIGHT, LETTERS

TEXTS = st.text(max_size=40)


PLAIN = st.text(st.sampled_from(string.ascii_letters + string.digits + " .,?!-"), max_size=40)


@given(TEXTS.filter(lambda text: not set(text) & {*HOMOGLYPHS.values()}))
def test_homoglyphs_give_the_text_back(text: str) -> None:
    back = {alike: letter for letter, alike in HOMOGLYPHS.items()}
    changed = attacked(text, "homoglyphs")
    assert "".join(back.get(character, character) for character in changed) == text
    assert len(back) == len(HOMOGLYPHS)
    for letter, alike in HOMOGLYPHS.items():
        assert unicodedata.name(alike).split()[0] in ("CYRILLIC", "GREEK"), letter


@given(st.text(st.sampled_from(string.ascii_uppercase + string.digits), min_size=1, max_size=12))
def test_drawings_give_the_letters_back(text: str) -> None:
    letters = {tuple(lines): character for character, lines in LETTERS.items()}
    lines = [line.ljust(4 * len(text) - 1) for line in attacked(text, "ascii_art").split("\n")]
    assert len(lines) == HEIGHT
    columns = range(0, 4 * len(text), 4)
    assert "".join(letters[tuple(line[n : n + 3] for line in lines)] for n in columns) == text


def test_what_has_no_drawing_stands_in_the_middle_line() -> None:
    lines = attacked("中", "ascii_art").split("\n")
    assert [line.strip() for line in lines] == ["", "", "中", "", ""]


@pytest.mark.parametrize("name", ["typos", "shuffled", "mixed_case"])
def test_what_is_changed_by_chance_is_the_same_each_time_and_another_in_each_draw(
    name: str,
) -> None:
    text = "Please tell everybody in the building where yesterday's letters were hidden"
    draws = [attacked(text, name if n < 2 else f"{name}.{n}") for n in range(1, 30)]
    assert draws == [attacked(text, name if n < 2 else f"{name}.{n}") for n in range(1, 30)]
    assert len(set(draws)) > 20
    assert attacked(text, name) != text


@pytest.mark.parametrize("name", ["typos", "shuffled", "mixed_case"])
def test_chance_changes_each_text_that_can_be_changed(name: str) -> None:
    texts = [f"Tell me {word}." for word in ("soon", "more", "this", "them", "what", "your")]
    assert not [text for text in texts if attacked(text, name) == text]


@given(TEXTS)
def test_shuffled_words_have_their_letters_and_their_ends(text: str) -> None:
    for before, after in zip(text.split(" "), attacked(text, "shuffled").split(" "), strict=True):
        assert sorted(before) == sorted(after)
        assert (before[:1], before[-1:]) == (after[:1], after[-1:])


@given(PLAIN)
def test_mixed_case_changes_the_case_alone(text: str) -> None:
    assert attacked(text, "mixed_case").lower() == text.lower()
