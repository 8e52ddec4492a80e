"""BM25 compared with a straightforward implementation of its formula."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.extensions.opencompass.retrievers.bm25 import BM25, words

TEXTS = ["red stone", "blue water", "cold blue water", "warm wind", "stone stone red"]


def test_bm25_ranks_like_its_formula_and_equals_backwards() -> None:
    texts = [words(text) for text in TEXTS]
    assert BM25(texts).top(words("stone"), 2) == [4, 0]
    assert BM25(texts).top(words("blue water"), 3) == [1, 2, 4]
    assert BM25(texts).top(words("nothing in common"), 5) == [4, 3, 2, 1, 0]


@given(
    st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=6), min_size=1, max_size=12),
    st.lists(st.sampled_from("abcdef"), max_size=5),
)
def test_bm25_scores_as_a_plain_reading_of_the_formula(
    texts: list[list[str]], query: list[str]
) -> None:
    index = BM25(texts)
    average = sum(map(len, texts)) / len(texts)
    scores = []
    for text in texts:
        score = 0.0
        for word in query:
            often = text.count(word)
            norm = 1.5 * (1 - 0.75 + 0.75 * len(text) / average)
            score += index.idf.get(word, 0.0) * (often * 2.5 / (often + norm))
        scores.append(score)
    best = sorted(range(len(texts)), key=lambda n: (scores[n], n), reverse=True)
    assert index.top(query, 3) == best[:3]


def test_a_word_that_half_of_the_texts_have_weighs_nothing_and_a_commoner_one_a_quarter() -> None:
    index = BM25([list("ab"), list("ac"), list("da"), list("eb")])
    rare, half, common = math.log(3.5 / 1.5), 0.0, math.log(1.5 / 3.5)
    mean = (3 * rare + half + common) / 5
    assert index.idf == {
        "a": pytest.approx(mean / 4),
        "b": 0.0,
        **dict.fromkeys("cde", pytest.approx(rare)),
    }


def test_no_texts_and_empty_texts_are_ranked_too() -> None:
    assert BM25([]).top(["a"], 3) == []
    assert BM25([[], []]).top(["a"], 3) == [1, 0]


def test_different_words_have_a_limit() -> None:
    BM25([["a", "b"], ["a"]], most_words=2)
    with pytest.raises(OverflowError):
        BM25([["a", "b"], ["c"]], most_words=2)


def test_work_is_the_number_of_hits() -> None:
    index = BM25([["a", "b"], ["a"]])
    assert index.work(["a", "b", "c", "a"]) == 5
