"""Limits on the work of choosing examples by vectors."""

from __future__ import annotations

import asyncio
import time
import tracemalloc
from dataclasses import replace
from itertools import count, repeat
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from extensions.opencompass.asked import ScriptedAsk

from lve.errors import TemplateError
from lve.extensions.opencompass.by_name import make_retriever
from lve.extensions.opencompass.data.tables import Reader
from lve.extensions.opencompass.retrievers.embedding import _elected as elected
from lve.extensions.opencompass.retrievers.embedding import _kernel as kernel_of
from lve.extensions.opencompass.retrievers.embedding import vote_k
from lve.extensions.opencompass.retrievers.retriever import Examples, ModelChoice


def examples(number: int) -> Examples:
    reader = Reader.from_config({"input_columns": ["q"], "output_column": "a"})
    rows: Any = [{"q": str(n), "a": "x"} for n in range(number)]
    return Examples(rows, reader)


def asked(length: int | None = None) -> ScriptedAsk:
    """Return what gives vectors of a length; of a different one each time when None."""
    lengths = count(1) if length is None else repeat(length)
    return ScriptedAsk(lambda text: np.random.default_rng(0).standard_normal(next(lengths)))


def choose(
    config: dict[str, Any],
    found: Examples,
    row: int = 0,
    length: int | None = 4,
    ask: ScriptedAsk | None = None,
) -> Any:
    choice = make_retriever({"embedding_model": "m", **config}).prepare(found)
    assert isinstance(choice, ModelChoice)
    return asyncio.run(chosen(choice, row, ask or asked(length)))


async def chosen(choice: ModelChoice, row: int, ask: ScriptedAsk) -> list[int]:
    return await choice.choose(row, {"q": "a row"}, ask)


TOO_MUCH: dict[str, tuple[dict[str, Any], int, int, str]] = {
    "vectors of many": ({"type": "TopkRetriever"}, 100_001, 0, "takes 100,000 examples at most"),
    "votes": (
        {"type": "VotekRetriever", "votek_k": 1_000},
        3_000,
        0,
        "3,000 examples can't have 1,000 votes each: lower `votek_k`",
    ),
    "differences": (
        {"type": "DPPRetriever", "ice_num": 2_000, "candidate_num": 2_000},
        5,
        0,
        "can't choose 2,000 of 2,000 examples for each row: lower `ice_num`",
    ),
    "choices": (
        {"type": "MDLRetriever", "candidate_num": 2_000, "select_time": 1_000},
        2_000,
        1_000,
        "too much for row 1,001; lower `candidate_num` or `select_time`",
    ),
}


@pytest.mark.parametrize(("config", "number", "row", "message"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_a_choice_costs_is_known_before(
    config: dict[str, Any], number: int, row: int, message: str
) -> None:
    if config["type"] == "MDLRetriever":
        config = {**config, "scoring_model": "m"}
    found = replace(examples(number), texts=lambda *_, **__: ("", []))
    started = time.monotonic()
    with pytest.raises(TemplateError, match=message) as caught:
        choose(config, found, row)
    assert caught.value.stage == "retrieve"
    assert time.monotonic() - started < 20


def test_an_election_among_many_is_refused_before_it_begins() -> None:
    async def vectors(ask: ScriptedAsk) -> Any:
        return np.broadcast_to(0.0, (30_000, 1_000))

    elect = vote_k(cast(Any, SimpleNamespace(vectors=vectors)), 2, neighbours=3, seed=1)
    with pytest.raises(TemplateError, match=r"each of 30,000 examples .* fewer with `train_range`"):
        asyncio.run(chosen(ModelChoice("", elect), 0, asked()))


def test_ten_thousand_examples_are_compared() -> None:
    assert len(choose({"type": "VotekRetriever", "ice_num": 8}, examples(10_000), length=8)) == 8


@pytest.mark.parametrize("kind", ["TopkRetriever", "VotekRetriever", "DPPRetriever"])
def test_vectors_of_different_lengths_are_a_clear_error(kind: str) -> None:
    with pytest.raises(TemplateError, match="m gives vectors of different lengths"):
        choose({"type": kind}, examples(3), length=None)


def test_a_hundred_examples_that_differ_are_chosen_of_a_thousand() -> None:
    config = {"type": "DPPRetriever", "ice_num": 100, "candidate_num": 1_000}
    ask = ScriptedAsk(lambda text: np.random.default_rng(list(text.encode())).standard_normal(200))
    assert len(set(choose(config, examples(1_000), ask=ask))) == 100


def test_vectors_of_length_zero_are_compared_without_a_warning() -> None:
    config = {"type": "DPPRetriever", "ice_num": 1, "candidate_num": 3}
    assert choose(config, examples(3), ask=ScriptedAsk(lambda text: [0.0, 0.0])) == [0]


def test_votes_are_counted_in_blocks_that_fit_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.extensions.opencompass.retrievers.embedding.BLOCK_NUMBERS", 10_000)
    vectors = np.random.default_rng(0).standard_normal((1_000, 4))
    tracemalloc.start()
    try:
        assert len(elected(vectors, 2, 3, 0)) == 2
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 4_000_000  # All similarities together take 8 MB.


@pytest.mark.parametrize("scale", [0.1, 0.5, 2.0])
def test_the_kernel_is_that_of_the_paper(scale: float) -> None:
    """Up to a factor, which changes no choice (arXiv:2302.05698, equation 4)."""
    chance = np.random.default_rng(3)
    vector, near = chance.standard_normal(5), chance.standard_normal((4, 5))
    near *= [[1], [2], [0.5], [3]]
    cosine = [
        [a @ b / np.linalg.norm(a) / np.linalg.norm(b) for b in (*near, vector)] for a in near
    ]
    moved = (np.array(cosine) + 1) / 2
    weights = np.exp(moved[:, 4] / (2 * scale))
    relevance, kernel = kernel_of(vector, near, scale)
    assert relevance / relevance.max() == pytest.approx(weights / weights.max())
    theirs = weights[:, None] * moved[:, :4] * weights[None]
    assert kernel / kernel[0, 0] == pytest.approx(theirs / theirs[0, 0])
