"""Retrievers that compare rows as vectors: `TopkRetriever`, `VotekRetriever`, `DPPRetriever`.

The vectors come from an embedding model (`/v1/embeddings`, or local); numpy (extra
`lve[retrievers]`) compares them. Upstream uses a local sentence transformer and faiss for the same.
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

from lve.data.tables import Reader, Table, input_text
from lve.errors import MissingExtraError, TemplateError
from lve.prompts.ask import Ask
from lve.prompts.templates.dialogue import Cells
from lve.prompts.templates.retrievers.example_texts import example_texts, too_many
from lve.prompts.templates.retrievers.known_answers import KnownAnswers
from lve.prompts.templates.retrievers.long_work import computed

if TYPE_CHECKING:
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[Any]"
"""One row per text."""
Choose = Callable[[int, Cells, Ask], Awaitable[list[int]]]
"""Position of a test row (from 0), the row, and who asks models -> positions of its examples."""
KEPT_VECTORS = 4096
"""Vectors of test rows that are kept, besides those of all examples."""
TEXT_PRODUCTS = 5_000
"""Multiplications that take as long as reading the text of an example."""
AHEAD = 128
"""Test rows that are embedded in one request."""
MAX_EMBEDDED = 100_000
"""Most examples that are embedded."""
MAX_VOTES = 2_000_000
"""Most votes that `VotekRetriever` counts; each example has `votek_k`."""
MAX_PRODUCTS = 450_000_000_000
"""Multiplications by which `VotekRetriever` compares all examples with each other, once: some 30
seconds. 10,000 examples with vectors of 4,096 numbers take 410 billion."""
BLOCK_NUMBERS = 4_000_000
"""Similarities that are held at once: 32 MB."""


class VectorIndex:
    """The examples as vectors."""

    def __init__(
        self, model: str | None, train: Table, test: Table, reader: Reader, retriever: str
    ) -> None:
        """Args:
        model: the embedding model.
        train: the examples.
        test: the rows.
        reader: says which columns are compared.
        retriever: its name, for messages.

        Raises:
            TemplateError: there is no model.
            MissingExtraError: numpy isn't installed.
        """
        if model is None:
            raise TemplateError("the retriever needs an `embedding_model`", stage="retriever")
        if find_spec("numpy") is None:
            raise MissingExtraError("this retriever needs: pip install 'lve[retrievers]'")
        self.model = model
        self._train = train
        self._test = test
        self._known = KnownAnswers[Vectors](KEPT_VECTORS)
        self._asking = asyncio.Lock()
        self._columns = reader.input_columns
        self._retriever = retriever
        self._vectors: Vectors | None = None

    async def vectors(self, ask: Ask) -> Vectors:
        """Return one vector per example.

        Raises:
            TemplateError: there are too many examples, or their vectors can't be had.
        """
        async with self._asking:  # All rows want the same ones at once.
            if self._vectors is None:
                texts = example_texts(self._train, self._columns, self._retriever, MAX_EMBEDDED)
                listing = TEXT_PRODUCTS * len(self._train)
                listed: list[str] = await computed(partial(list, texts), listing, ask)
                found = await self._known.of(listed, partial(self._embedded, ask))
                if len(set(map(len, found))) > 1:
                    raise _different_lengths(self.model)
                join = partial(numpy().asarray, found, dtype="float64")
                joined: Vectors = await computed(join, sum(map(len, found)), ask)
                self._vectors = joined
        return self._vectors

    async def of_row(self, position: int, row: Cells, ask: Ask) -> Vectors:
        """Return the vector of a test row. Neighbours are embedded in the same request."""
        start = position - position % AHEAD
        async with self._asking:
            [vector] = await self._known.of(
                [self._text(row)],
                partial(self._embedded, ask),
                ahead=lambda: list(self._batch(start)),
            )
        return vector

    async def _embedded(self, ask: Ask, texts: Sequence[str]) -> list[Vectors]:
        vectors = await ask.embed(self.model, texts)
        return await computed(partial(_arrays, vectors), TEXT_PRODUCTS * len(vectors), ask)

    def _batch(self, start: int) -> Iterator[str]:
        for position in range(start, start + AHEAD):
            try:
                yield self._text(self._test[position])
            except IndexError:
                return

    async def nearest(self, vector: Vectors, number: int, ask: Ask) -> list[int]:
        """Return the positions of the examples with the largest inner product, largest first; of
        equals the first.

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
    """Return the numpy module. `VectorIndex` has checked that it is installed."""
    import numpy as module

    return module


def top_k(index: VectorIndex, number: int) -> Choose:
    """Pick the examples nearest to the row."""

    async def choose(position: int, row: Cells, ask: Ask) -> list[int]:
        return await index.nearest(await index.of_row(position, row, ask), number, ask)

    return choose


def vote_k(index: VectorIndex, number: int, *, neighbours: int, seed: int) -> Choose:
    """Pick examples that many others are near to, the same for every row (Vote-k)."""
    chosen: list[int] = []
    electing = asyncio.Lock()

    async def choose(position: int, row: Cells, ask: Ask) -> list[int]:
        async with electing:
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
    """Voter -> the voters of the examples so far that it votes for."""
    for position, voters in ranked:
        if len(chosen) >= number:
            break
        # Skip an example if an earlier one had all of its voters, too.
        if not any(voters <= those for those in earlier[next(iter(voters))]):
            chosen.append(position)
        for voter in voters:
            earlier[voter].append(voters)
    taken = set(chosen)
    rest = [n for n in range(len(vectors)) if n not in taken]
    missing = min(number - len(chosen), len(rest))
    return chosen + random.Random(seed).sample(rest, max(missing, 0))


def _check_election(count: int, length: int, neighbours: int) -> None:
    """Refuse an election that would take too long, before it begins.

    Raises:
        TemplateError: it would.
    """
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
    """Return the voters of each example that has any: each example votes for its nearest ones."""
    votes: dict[int, set[int]] = defaultdict(set)
    unit = _unit(vectors)
    # Many voters together: a product of matrices takes a tenth of the time.
    block = max(1, BLOCK_NUMBERS // max(1, len(unit)))
    for start in range(0, len(unit), block):
        for voter, scores in enumerate(unit[start : start + block] @ unit.T, start):
            for position in _largest(scores, neighbours + 1)[:-1]:
                if position != voter:
                    votes[int(position)].add(voter)
    return votes


def _largest(scores: Vectors, number: int) -> Vectors:
    """Return the positions of the largest numbers in ascending order; of equals the last ones."""
    np = numpy()
    number = min(number, len(scores))
    least = np.partition(scores, len(scores) - number)[len(scores) - number]
    found = np.flatnonzero(scores >= least)
    largest: Vectors = found[scores[found].argsort(kind="stable")][-number:]
    return largest


def _unit(vectors: Vectors) -> Vectors:
    """Return vectors scaled to length 1; those of length 0 stay as they are."""
    lengths = numpy().linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Vectors = vectors / numpy().where(lengths == 0, 1.0, lengths)
    return scaled


def diverse(index: VectorIndex, number: int, *, candidates: int, scale: float) -> Choose:
    """Pick near examples that differ from each other (determinantal point process, greedy)."""

    async def choose(position: int, row: Cells, ask: Ask) -> list[int]:
        vector = await index.of_row(position, row, ask)
        near = await index.nearest(vector, candidates, ask)
        vectors = (await index.vectors(ask))[near]
        spread = partial(_spread, vector, vectors, number, scale)
        products = len(near) * (vectors.size + min(number, len(near)) ** 2)
        return [near[n] for n in await computed(spread, products, ask)]

    return choose


def _spread(vector: Vectors, near: Vectors, number: int, scale: float) -> list[int]:
    """Return which of the near examples are taken, the most relevant first."""
    relevance, kernel = _kernel(vector, near, scale)
    picked = _greedy_map(kernel, min(number, len(near)))
    return sorted(picked, key=lambda n: -relevance[n])


def _kernel(vector: Vectors, near: Vectors, scale: float) -> tuple[Vectors, Vectors]:
    # https://arxiv.org/abs/2302.05698: similarities moved to 0..1, relevance weighed by scale.
    np = numpy()
    unit = _unit(near)
    relevance = (unit @ _unit(vector) + 1) / 2
    relevance = np.exp((relevance - relevance.max()) / (2 * scale))
    similarity = (unit @ unit.T + 1) / 2
    return relevance, relevance[None] * similarity * relevance[:, None]


def _greedy_map(kernel: Vectors, number: int) -> list[int]:
    """Return the items that add most volume, one after another (Chen et al., 2018)."""
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
