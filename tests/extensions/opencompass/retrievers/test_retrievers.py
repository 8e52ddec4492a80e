"""The examples that every retriever chooses."""

from __future__ import annotations

import asyncio
import random
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from extensions.opencompass.asked import ScriptedAsk

from lve.errors import TemplateError
from lve.extensions.opencompass.by_name import RETRIEVERS, make_retriever
from lve.extensions.opencompass.data.tables import Reader, Table
from lve.extensions.opencompass.retrievers.embedding import _elected as elected
from lve.extensions.opencompass.retrievers.numpy_random import numpy_generator, permutation
from lve.extensions.opencompass.retrievers.retriever import Examples, ModelChoice
from lve.extensions.opencompass.retrievers.slow_select import Select, SlowSelect
from lve.models.token_scores import ScoredToken

TEXTS = ["red stone", "blue water", "cold blue water", "warm wind", "stone stone red"]
READER = Reader(("q",), "a")


def examples(rows: Sequence[str] = TEXTS, **given: Any) -> Examples:
    return Examples(Table([{"q": text, "a": "x"} for text in rows]), READER, **given)


def picked(
    config: dict[str, Any], test: Sequence[str], found: Examples, ask: ScriptedAsk | None = None
) -> list[list[int]]:
    """Return what is picked for test rows, with the help of scripted models."""
    choice = make_retriever(config).prepare(found)
    rows = [{"q": text, "a": "x"} for text in test]
    if not isinstance(choice, ModelChoice):
        return [choice(n, row) for n, row in enumerate(rows)]
    return asyncio.run(chosen(choice, rows, ask or ScriptedAsk(vector)))


async def chosen(
    choice: ModelChoice, rows: Sequence[Mapping[str, Any]], ask: ScriptedAsk
) -> list[list[int]]:
    return [await choice.choose(n, row, ask) for n, row in enumerate(rows)]


def selecting(choice: Select | ModelChoice) -> Select:
    assert not isinstance(choice, ModelChoice)
    return choice


@pytest.mark.parametrize("seed", [0, 1, 43, 2**32 - 1])
@pytest.mark.parametrize("count", [1, 2, 7, 1000])
def test_chance_is_numpys(seed: int, count: int) -> None:
    generator, theirs = numpy_generator(seed), np.random.RandomState(seed)
    for _ in range(3):
        assert permutation(count, generator) == theirs.permutation(count).tolist()


def test_random_rows_are_the_same_in_any_order() -> None:
    config = {"type": "RandomRetriever", "ice_num": 2, "seed": 7}
    select = selecting(make_retriever(config).prepare(examples()))
    later = select(3, {})
    assert [select(n, {}) for n in range(4)][3] == later


VECTORS = {"red stone": [1, 0], "blue water": [0, 1], "cold blue water": [0, 0.9],
           "warm wind": [0.5, 0.5], "stone stone red": [0.9, 0.1], "a stone": [1, 0.1],
           "a lake": [0.1, 1]}  # fmt: skip


def vector(text: str) -> list[float]:
    """Return a text's vector, as a model would."""
    return [float(n) for n in VECTORS[text]]


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
    assert picked(given, ["a stone", "a lake"], examples(test=TEST)) == expected


def test_examples_that_differ_as_a_plain_reading_of_the_paper() -> None:
    """https://arxiv.org/abs/2302.05698: greedily the largest determinant of the kernel."""
    numbers = np.random.default_rng(7).standard_normal((21, 3))
    unit = numbers / np.linalg.norm(numbers, axis=1)[:, None]
    names = [f"t{n}" for n in range(21)]
    vectors = dict(zip(names, numbers, strict=True))
    for scale in (0.05, 0.1, 0.15, 0.2, 0.3):
        config = {"type": "DPPRetriever", "ice_num": 3, "candidate_num": 20,
                  "scale_factor": scale, "embedding_model": "test/vectors"}  # fmt: skip
        relevance = np.exp((unit[:20] @ unit[20] + 1) / 2 / (2 * scale))
        kernel = relevance[None] * ((unit[:20] @ unit[:20].T + 1) / 2) * relevance[:, None]
        taken: list[int] = []
        while len(taken) < 3:
            tried = {n: np.linalg.det(kernel[np.ix_([*taken, n], [*taken, n])]) for n in range(20)}
            taken.append(max(set(tried) - set(taken), key=lambda n: tried[n]))
        ask = ScriptedAsk(lambda text: vectors[text])
        [chosen] = picked(config, ["t20"], examples(names[:20], test=[{"q": "t20", "a": "x"}]), ask)
        assert chosen == sorted(taken, key=lambda n: -relevance[n])


def test_texts_are_asked_for_together_and_once() -> None:
    config = {"type": "TopkRetriever", "embedding_model": "test/vectors"}
    choice = make_retriever(config).prepare(examples([*TEXTS, TEXTS[0]], test=TEST))
    assert isinstance(choice, ModelChoice)
    assert choice.needs == "vectors of test/vectors"
    ask = ScriptedAsk(vector)

    async def choose_at_once() -> list[list[int]]:
        rows = [choice.choose(1, {"q": "a lake"}, ask) for _ in range(3)]
        return await asyncio.gather(*rows)

    assert asyncio.run(choose_at_once()) == [[1]] * 3
    texts = [("a lake", "a stone"), tuple(TEXTS)]
    assert ask.embedded == [("test/vectors", asked) for asked in texts]


SLOW_ONES = [
    {"type": "VotekRetriever", "ice_num": 2},
    {"type": "TopkRetriever", "ice_num": 2},
    {"type": "DPPRetriever", "ice_num": 2, "candidate_num": 3},
    {"type": "MDLRetriever", "candidate_num": 3, "scoring_model": "test/scores"},
    {"type": "BM25Retriever"},
    {"type": "RandomRetriever"},
]


@pytest.mark.parametrize("config", SLOW_ONES, ids=lambda config: config["type"])
def test_what_takes_long_is_computed_aside(
    config: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "lve.extensions.opencompass.retrievers.slow_select.QUICK_PRODUCTS"
    given = config if set(config) == {"type"} else {**config, "embedding_model": "test/vectors"}
    chosen = []
    for most in (10_000_000, 0):
        monkeypatch.setattr(name, most)
        ask = ScriptedAsk(vector, lambda text: rated(text, 1.0))
        found = examples(test=TEST, texts=lambda row, positions, labels: ("|", ["|x"]))
        plan = make_retriever(given).prepare(found)
        assert isinstance(plan, ModelChoice | SlowSelect)
        rows = [{"q": text, "a": "x"} for text in ("a stone", "a lake")]
        chosen.append([asyncio.run(plan.choose(1, row, ask)) for row in rows])
        assert bool(ask.computed) is (most == 0)
    assert chosen[0] == chosen[1]


def test_surest_choice_of_examples_as_a_plain_reading_of_the_paper() -> None:
    count, times, seed = 4, 5, 10
    config = {"type": "MDLRetriever", "ice_num": 2, "candidate_num": count, "select_time": times,
              "seed": seed, "embedding_model": "test/vectors", "scoring_model": "test/scores",
              "labels": ["x", "y"]}  # fmt: skip

    def texts(row: Any, positions: Sequence[int], labels: Any) -> tuple[str, list[str]]:
        ice = " ".join(map(str, positions))
        return ice, [f"{ice}|{row['q']}|{label}" for label in labels]

    def loss(text: str) -> float:
        return zlib.crc32(text.encode()) % 17 / 5

    found = examples(test=TEST, texts=texts)
    rows = ["a stone", "a lake"]
    ask = ScriptedAsk(vector, lambda text: rated(text, loss(text)))
    chosen = picked(config, rows, found, ask)

    theirs, expected = np.random.RandomState(seed), []
    for row in rows:
        near = [
            n
            for n, _ in sorted(enumerate(TEXTS), key=lambda p: -np.dot(VECTORS[p[1]], VECTORS[row]))
        ]
        near = near[:count]
        tried = [near[:2]]
        tried += [theirs.choice(near, 2, replace=False).tolist() for _ in range(times - 1)]
        scores = []
        for choice in tried:
            losses = [loss(text) for text in texts({"q": row}, choice, ["x", "y"])[1]]
            chances = np.exp(-np.array(losses))
            chances /= chances.sum()
            scores.append((chances * np.log(chances)).sum())
        expected.append(tried[int(np.argmax(scores))])
        assert np.argmax(scores) > 0  # The nearest ones are not the most certain.
    assert chosen == expected
    written = [text for _, texts in ask.rated for text in texts]
    assert len(written) == len(set(written))  # no prompt is rated twice


def test_five_choices_are_tried_where_nothing_else_is_said() -> None:
    config = {"type": "MDLRetriever", "ice_num": 1, "candidate_num": 5,
              "embedding_model": "test/vectors", "scoring_model": "test/scores"}  # fmt: skip
    tried: list[Sequence[int]] = []

    def texts(row: Any, positions: Sequence[int], labels: Any) -> tuple[str, list[str]]:
        tried.append(positions)
        return "|", ["|x"]

    ask = ScriptedAsk(vector, lambda text: rated(text, 1.0))
    picked(config, ["a stone"], examples(test=TEST, texts=texts), ask)
    assert len(tried) == 5


def rated(text: str, loss: float) -> tuple[ScoredToken, ...]:
    """Return a rating in which what follows the examples has the loss; they would level it out."""
    border = text.index("|")
    return (
        ScoredToken("<s>", None, -1),
        ScoredToken(text[:border], loss - 99.0, 0),
        ScoredToken(text[border:], -loss, border),
    )


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"type": "TopkRetriever"}, "needs an `embedding_model`"),
        ({"type": "RandomRetriever", "ice_num": 9}, "there are 5 to choose from"),
        ({"type": "RandomRetriever", "seed": -1}, "`seed` must be"),
        ({"type": "SlidingWindowRetriever"}, "needs `k`"),
        ({"type": "FixKRetriever", "fix_id_list": ["0"]}, "must hold numbers"),
        ({"type": "MDLRetriever", "embedding_model": "m"}, "needs a `scoring_model`"),
        ({"type": "MDLRetriever", "embedding_model": "m", "ice_num": 3}, "gives only 1"),
        ({"type": "BM25Retriever", "k": 3}, "has no argument 'k'"),
    ],
)
def test_a_wrong_retriever_is_explained(config: dict[str, Any], message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        picked(config, ["a stone"], examples(test=TEST))


def test_every_retriever_is_in_the_schema() -> None:
    import json
    from pathlib import Path

    file = Path(__file__).parents[4] / "schemas" / "test.schema.json"
    schema = json.loads(file.read_text(encoding="utf-8"))["$defs"]["infer_cfg"]["properties"]
    assert set(schema["retriever"]["properties"]["type"]["anyOf"][0]["enum"]) == set(RETRIEVERS)


def elected_plainly(vectors: Any, number: int, neighbours: int, seed: int) -> list[int]:
    """Vote-k as it reads, one voter after another."""
    votes: dict[int, set[int]] = {}
    lengths = np.linalg.norm(vectors, axis=1)
    unit = vectors / np.where(lengths == 0, 1.0, lengths)[:, None]
    for voter in range(len(unit)):
        for position in (unit @ unit[voter]).argsort(kind="stable")[-neighbours - 1 : -1]:
            if position != voter:
                votes.setdefault(int(position), set()).add(voter)
    ranked = sorted(votes.items(), key=lambda item: len(item[1]), reverse=True)
    chosen: list[int] = []
    for n, (position, voters) in enumerate(ranked):
        if len(chosen) < number and not any(voters <= those for _, those in ranked[:n]):
            chosen.append(position)
    rest = [n for n in range(len(vectors)) if n not in chosen]
    missing = min(number - len(chosen), len(rest))
    return chosen + random.Random(seed).sample(rest, max(missing, 0))


@pytest.mark.parametrize("number", [0, 2, 30, 80])
@pytest.mark.parametrize("neighbours", [0, 1, 3, 100])
def test_votes_are_counted_together_as_one_after_another(number: int, neighbours: int) -> None:
    # Whole numbers of length 5: their products are exact, so that there are real ties.
    points = np.array([[3, 4], [4, 3], [5, 0], [0, 5], [-3, 4], [0, 0]])
    vectors = points[np.random.default_rng(1).integers(len(points), size=60)].astype(float)
    found = elected(vectors, number, neighbours, 1)
    assert found == elected_plainly(vectors, number, neighbours, 1)
