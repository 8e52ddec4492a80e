"""Chooses examples by vectors: top-k, vote-k, and determinantal point processes.

The vectors come from an embedding model (`/v1/embeddings`, or local); numpy (extra
`lve[retrievers]`) compares them. Upstream uses a local sentence transformer and faiss instead.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from lve.errors import MissingExtraError, TemplateError
from lve.extensions.opencompass.data.tables import Reader, Table, input_text
from lve.extensions.opencompass.dialogue import Cells
from lve.extensions.opencompass.retrievers.example_texts import TextCache, example_texts, too_many
from lve.extensions.opencompass.retrievers.slow_select import computed
from lve.prompts.conversation import Ask

if TYPE_CHECKING:
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[Any]"
"""One row per text."""
Choose = Callable[[int, Cells, Ask], Awaitable[list[int]]]
"""Position of a test row (from 0), the row, access to models -> positions of its examples."""
MAX_CACHED_VECTORS = 4096
"""Vectors of test rows that are cached, besides those of all examples."""
TEXT_PRODUCTS = 5_000
"""Multiplications that take as long as reading the text of an example."""
BATCH_ROWS = 128
"""Test rows that are embedded in one request."""
MAX_EMBEDDED = 100_000
"""Examples that can be embedded."""
MAX_VOTES = 2_000_000
"""Votes that `VotekRetriever` can count; each example has `votek_k`."""
MAX_PRODUCTS = 450_000_000_000
"""Multiplications for `VotekRetriever` to compare all examples with each other, once: about 30
seconds. 10,000 examples with vectors of 4,096 numbers take 410 billion."""
BLOCK_NUMBERS = 4_000_000
"""Similarities in memory at once: 32 MB."""


class VectorIndex:
    """The examples as vectors."""

    def __init__(
        self, model: str | None, train: Table, test: Table, reader: Reader, retriever: str
    ) -> None:
        """Args:
        model: name of the embedding model.
        train: the examples.
        test: the rows.
        reader: has the columns to compare.
        retriever: its name, for messages.

        Raises:
            TemplateError: `model` is None.
            MissingExtraError: numpy isn't installed.
        """
        if model is None:
            raise TemplateError("the retriever needs an `embedding_model`", stage="retriever")
        if find_spec("numpy") is None:
            raise MissingExtraError("this retriever needs: pip install 'lve[retrievers]'")
        self.model = model
        self._train = train
        self._test = test
        self._cache = TextCache[Vectors](MAX_CACHED_VECTORS)
        self._lock = asyncio.Lock()
        self._columns = reader.input_columns
        self._retriever = retriever
        self._vectors: Vectors | None = None

    async def vectors(self, ask: Ask) -> Vectors:
        """Return one vector per example.

        Raises:
            TemplateError: there are too many examples, or the model doesn't give their vectors.
        """
        async with self._lock:  # All rows need the same vectors at the same time.
            if self._vectors is None:
                texts = example_texts(self._train, self._columns, self._retriever, MAX_EMBEDDED)
                listing = TEXT_PRODUCTS * len(self._train)
                listed: list[str] = await computed(partial(list, texts), listing, ask)
                vectors = await self._cache.get(listed, partial(self._embedded, ask))
                if len(set(map(len, vectors))) > 1:
                    raise _different_lengths(self.model)
                join = partial(numpy().asarray, vectors, dtype="float64")
                joined: Vectors = await computed(join, sum(map(len, vectors)), ask)
                self._vectors = joined
        return self._vectors

    async def row_vector(self, position: int, row: Cells, ask: Ask) -> Vectors:
        """Return the vector of a test row. Adjacent rows are embedded in the same request."""
        start = position - position % BATCH_ROWS
        async with self._lock:
            [vector] = await self._cache.get(
                [self._text(row)],
                partial(self._embedded, ask),
                prefetch=lambda: list(self._batch(start)),
            )
        return vector

    async def _embedded(self, ask: Ask, texts: Sequence[str]) -> list[Vectors]:
        vectors = await ask.embed(self.model, texts)
        return await computed(partial(_arrays, vectors), TEXT_PRODUCTS * len(vectors), ask)

    def _batch(self, start: int) -> Iterator[str]:
        for position in range(start, start + BATCH_ROWS):
            try:
                yield self._text(self._test[position])
            except IndexError:
                return

    async def nearest(self, vector: Vectors, number: int, ask: Ask) -> list[int]:
        """Return the positions of the `number` examples with the largest inner products, largest
        first; of equal ones the first comes first.

        Raises:
            TemplateError: as `vectors`.
        """
        vectors = await self.vectors(ask)
        if len(vectors) and vectors.shape[1:] != vector.shape:
            raise _different_lengths(self.model)
        return await computed(partial(_nearest, vectors, vector, number), vectors.size, ask)

    def _text(self, row: Cells) -> str:
        return input_text(row, self._columns)


def _arrays(vectors: Sequence[Sequence[float]]) -> list[Vectors]:
    return [numpy().asarray(vector, dtype="float64") for vector in vectors]


def _different_lengths(model: str) -> TemplateError:
    return TemplateError(f"{model} gives vectors of different lengths", stage="retrieve")


def _nearest(vectors: Vectors, vector: Vectors, number: int) -> list[int]:
    order = (-(vectors @ vector)).argsort(kind="stable")
    return [int(position) for position in order[:number]]


def numpy() -> Any:
    """Import numpy, which `VectorIndex` has found to be installed."""
    import numpy as module

    return module


def top_k(index: VectorIndex, number: int) -> Choose:
    """Return what picks the `number` examples nearest to a row."""

    async def choose(position: int, row: Cells, ask: Ask) -> list[int]:
        return await index.nearest(await index.row_vector(position, row, ask), number, ask)

    return choose


def vote_k(index: VectorIndex, number: int, *, neighbours: int, seed: int) -> Choose:
    """Return what picks the same `number` examples for every row: those that are among the nearest
    `neighbours` of many others (vote-k)."""
    chosen: list[int] = []
    lock = asyncio.Lock()

    async def choose(position: int, row: Cells, ask: Ask) -> list[int]:
        async with lock:
            if not chosen:
                vectors = await index.vectors(ask)
                count, length = len(vectors), vectors.shape[-1]
                _check_election(count, length, neighbours)
                elect = partial(_elected, vectors, number, neighbours, seed)
                chosen.extend(await computed(elect, count * count * length, ask))
        return list(chosen)

    return choose


def _elected(vectors: Vectors, number: int, neighbours: int, seed: int) -> list[int]:
    votes = _votes(vectors, neighbours)
    ranked = sorted(votes.items(), key=lambda item: len(item[1]), reverse=True)
    chosen: list[int] = []
    earlier: dict[int, list[set[int]]] = defaultdict(list)
    """Voter -> the sets of voters of the earlier examples that it votes for."""
    for position, voters in ranked:
        if len(chosen) >= number:
            break
        # Skip an example if all of its voters have voted for an earlier one, too.
        if not any(voters <= those for those in earlier[next(iter(voters))]):
            chosen.append(position)
        for voter in voters:
            earlier[voter].append(voters)
    elected = set(chosen)
    rest = [n for n in range(len(vectors)) if n not in elected]
    missing = min(number - len(chosen), len(rest))
    return chosen + random.Random(seed).sample(rest, max(missing, 0))


def _check_election(count: int, length: int, neighbours: int) -> None:
    """Raise TemplateError if counting votes would take too long."""
    if count * count * length > MAX_PRODUCTS:
        raise too_many(
            f"VotekRetriever compares each of {count:,} examples with each other one: too many"
        )
    if count * neighbours > MAX_VOTES:
        raise TemplateError(
            f"{count:,} examples can't have {neighbours:,} votes each: lower `votek_k`",
            stage="retrieve",
        )


def _votes(vectors: Vectors, neighbours: int) -> dict[int, set[int]]:
    """Return position -> voters of the examples with votes: each example votes for its nearest
    ones."""
    votes: dict[int, set[int]] = defaultdict(set)
    unit = _unit(vectors)
    # Many voters at once: a product of matrices takes a tenth of the time.
    block = max(1, BLOCK_NUMBERS // max(1, len(unit)))
    for start in range(0, len(unit), block):
        for voter, scores in enumerate(unit[start : start + block] @ unit.T, start):
            for position in _largest(scores, neighbours + 1)[:-1]:
                if position != voter:
                    votes[int(position)].add(voter)
    return votes


def _largest(scores: Vectors, number: int) -> Vectors:
    """Return the positions of the `number` largest scores in ascending order; of equal ones the
    last are taken."""
    np = numpy()
    number = min(number, len(scores))
    least = np.partition(scores, len(scores) - number)[len(scores) - number]
    positions = np.flatnonzero(scores >= least)
    largest: Vectors = positions[scores[positions].argsort(kind="stable")][-number:]
    return largest


def _unit(vectors: Vectors) -> Vectors:
    """Return vectors scaled to length 1; those of length 0 stay unchanged."""
    lengths = numpy().linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Vectors = vectors / numpy().where(lengths == 0, 1.0, lengths)
    return scaled


def diverse(index: VectorIndex, number: int, *, candidates: int, scale: float) -> Choose:
    """Return what picks `number` of the `candidates` nearest examples that differ from each other
    (determinantal point process, greedy)."""

    async def choose(position: int, row: Cells, ask: Ask) -> list[int]:
        vector = await index.row_vector(position, row, ask)
        near = await index.nearest(vector, candidates, ask)
        vectors = (await index.vectors(ask))[near]
        spread = partial(_spread, vector, vectors, number, scale)
        products = len(near) * (vectors.size + min(number, len(near)) ** 2)
        return [near[n] for n in await computed(spread, products, ask)]

    return choose


def _spread(vector: Vectors, near: Vectors, number: int, scale: float) -> list[int]:
    """Return the positions of the chosen vectors among the `near` ones, the most relevant first."""
    relevance, kernel = _kernel(vector, near, scale)
    picked = _greedy_map(kernel, min(number, len(near)))
    return sorted(picked, key=lambda n: -relevance[n])


def _kernel(vector: Vectors, near: Vectors, scale: float) -> tuple[Vectors, Vectors]:
    """Return relevance and DPP kernel of the near examples (https://arxiv.org/abs/2302.05698), with
    similarities moved to 0..1 and relevance weighted by `scale`."""
    np = numpy()
    unit = _unit(near)
    relevance = (unit @ _unit(vector) + 1) / 2
    relevance = np.exp((relevance - relevance.max()) / (2 * scale))
    similarity = (unit @ unit.T + 1) / 2
    return relevance, relevance[None] * similarity * relevance[:, None]


def _greedy_map(kernel: Vectors, number: int) -> list[int]:
    """Return the items that maximize the determinant, chosen greedily (Chen et al., 2018)."""
    np = numpy()
    gains = np.diag(kernel).copy()
    rows = np.zeros((number, len(gains)))
    chosen: list[int] = []
    while len(chosen) < number:
        best = int(gains.argmax())
        if gains[best] <= 1e-12:
            break
        done = len(chosen)
        chosen.append(best)
        row = (kernel[best] - rows[:done, best] @ rows[:done]) / math.sqrt(gains[best])
        rows[done] = row
        gains = gains - row**2
        gains[best] = -np.inf
    return chosen
