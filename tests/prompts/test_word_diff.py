from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from lve.prompts.word_diff import MAX_WORDS, Piece, word_diff

texts = st.lists(st.sampled_from(["a", "b", "Paris", " ", ", ", "\n", "é", "🙂", "."])).map("".join)


@given(texts, texts)
def test_the_pieces_make_both_texts(before: str, now: str) -> None:
    pieces = word_diff(before, now)
    assert "".join(text for kind, text in pieces if kind != "new") == before
    assert "".join(text for kind, text in pieces if kind != "gone") == now
    assert all(text for _, text in pieces)
    assert (before == now) == all(kind == "same" for kind, _ in pieces)


def test_words_are_compared_and_not_letters() -> None:
    assert word_diff("It is Paris.", "It is Parma.") == [
        Piece("same", "It is "),
        Piece("gone", "Paris"),
        Piece("new", "Parma"),
        Piece("same", "."),
    ]


def test_words_that_changed_one_after_the_other_are_one_change() -> None:
    pieces = word_diff("so: one two three.", "so: four five six.")
    assert [kind for kind, _ in pieces] == ["same", "gone", "new", "same"]


def test_texts_of_a_megabyte_take_no_long_time() -> None:
    long = "word " * 200_000
    started = time.process_time()
    assert [kind for kind, _ in word_diff(f"x {long}", f"y {long}")] == ["gone", "new", "same"]
    others = " ".join(map(str, range(MAX_WORDS)))
    assert [kind for kind, _ in word_diff(long, others)] == ["gone", "new"]
    assert time.process_time() - started < 5
