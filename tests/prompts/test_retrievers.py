"""Which examples are picked, by every retriever."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.errors import TemplateError
from lve.prompts.bm25 import BM25, words
from lve.prompts.retriever_types import RETRIEVERS, make_retriever
from lve.prompts.retrievers import Examples, numpy_generator, permutation
from lve.spec.tables import Reader, Table

TEXTS = ["red stone", "blue water", "cold blue water", "warm wind", "stone stone red"]
READER = Reader(("q",), "a")


def examples(texts: Sequence[str] = TEXTS, **given: Any) -> Examples:
    return Examples(Table([{"q": text, "a": "x"} for text in texts]), READER, **given)


def picked(config: dict[str, Any], test: Sequence[str], found: Examples) -> list[list[int]]:
    select = make_retriever(config).prepare(found)
    return [select(n, {"q": text, "a": "x"}) for n, text in enumerate(test)]


@pytest.mark.parametrize("seed", [0, 1, 43, 2**32 - 1])
@pytest.mark.parametrize("count", [1, 2, 7, 1000])
def test_chance_is_numpys(seed: int, count: int) -> None:
    generator, theirs = numpy_generator(seed), np.random.RandomState(seed)
    for _ in range(3):
        assert permutation(count, generator) == theirs.permutation(count).tolist()


def test_random_rows_are_the_same_in_any_order() -> None:
    config = {"type": "RandomRetriever", "ice_num": 2, "seed": 7}
    select = make_retriever(config).prepare(examples())
    later = select(3, {})
    assert [select(n, {}) for n in range(4)][3] == later


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


VECTORS = {"red stone": [1, 0], "blue water": [0, 1], "cold blue water": [0, 0.9],
           "warm wind": [0.5, 0.5], "stone stone red": [0.9, 0.1], "a stone": [1, 0.1],
           "a lake": [0.1, 1]}  # fmt: skip


def vectors_of(model: str, texts: Sequence[str]) -> list[list[float]]:
    assert model == "test/vectors"
    return [[float(n) for n in VECTORS[text]] for text in texts]


TEST = Table([{"q": "a stone", "a": "x"}, {"q": "a lake", "a": "x"}])


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"type": "TopkRetriever", "ice_num": 2}, [[0, 4], [1, 2]]),
        ({"type": "DPPRetriever", "ice_num": 2, "candidate_num": 4}, [[4, 3], [1, 3]]),
        ({"type": "VotekRetriever", "ice_num": 2, "votek_k": 2}, [[3, 4], [3, 4]]),
    ],
)
def test_rows_are_compared_as_vectors(config: dict[str, Any], expected: list[list[int]]) -> None:
    given = {**config, "embedding_model": "test/vectors"}
    found = examples(test=TEST, embed=vectors_of)
    assert picked(given, ["a stone", "a lake"], found) == expected


def test_test_rows_are_embedded_together() -> None:
    calls: list[int] = []

    def counted(model: str, texts: Sequence[str]) -> list[list[float]]:
        calls.append(len(texts))
        return vectors_of(model, texts)

    config = {"type": "TopkRetriever", "embedding_model": "test/vectors"}
    picked(config, ["a stone", "a lake"], examples(test=TEST, embed=counted))
    assert calls == [2, 5]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"type": "TopkRetriever"}, "needs an `embedding_model`"),
        ({"type": "RandomRetriever", "ice_num": 9}, "only 5 examples"),
        ({"type": "RandomRetriever", "seed": -1}, "`seed` must be"),
        ({"type": "SlidingWindowRetriever"}, "'k'"),
        ({"type": "FixKRetriever", "fix_id_list": ["0"]}, "must hold numbers"),
        ({"type": "BM25Retriever", "k": 3}, "has no argument 'k'"),
    ],
)
def test_a_wrong_retriever_is_explained(config: dict[str, Any], message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        picked(config, ["a stone"], examples(test=TEST, embed=vectors_of))


def test_every_retriever_is_in_the_schema() -> None:
    import json
    from pathlib import Path

    file = Path(__file__).parents[2] / "schemas" / "test.schema.json"
    schema = json.loads(file.read_text(encoding="utf-8"))["$defs"]["infer_cfg"]["properties"]
    assert set(schema["retriever"]["properties"]["type"]["enum"]) == set(RETRIEVERS)
