"""Retrievers that compare rows as vectors: `TopkRetriever`, `VotekRetriever`, `DPPRetriever`.

The vectors come from an embedding model (`/v1/embeddings`, or local); numpy (extra
`lve[retrievers]`) compares them. Upstream uses a local sentence transformer and faiss for the same.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from lve.errors import MissingExtraError, TemplateError
from lve.prompts.dialogue import Row
from lve.prompts.wanted import KEPT_VECTORS, Answers
from lve.spec.tables import Reader, Table, input_text

Vectors = Any
"""A numpy array, one row per text."""
AHEAD = 128
"""So many test rows are embedded together."""


class VectorIndex:
    """The examples as vectors."""

    def __init__(self, model: str | None, train: Table, test: Table, reader: Reader) -> None:
        """Args:
        model: the embedding model. Nothing is asked of it here: what is missing is raised as
            `AnswersWanted` when it is needed.
        train: the examples.
        test: the rows.
        reader: says which columns are compared.

        Raises:
            TemplateError: there is no model.
            MissingExtraError: numpy isn't installed.
        """
        if model is None:
            raise TemplateError("the retriever needs an `embedding_model`", stage="retriever")
        if find_spec("numpy") is None:
            raise MissingExtraError("this retriever needs: pip install 'lve[retrievers]'")
        self._train = train
        self._test = test
        self._answers = Answers(model, "vectors", read=_vector, kept=KEPT_VECTORS)
        self._columns = reader.input_columns
        self._vectors: Vectors = None

    @property
    def vectors(self) -> Vectors:
        """One vector per example."""
        if self._vectors is None:
            rows = (self._train[n] for n in range(len(self._train)))
            found = self._answers.of([self._text(row) for row in rows])
            self._vectors = numpy().asarray(found, dtype="float64")
        return self._vectors

    def of_row(self, position: int, row: Row) -> Vectors:
        """Return the vector of a test row. Neighbours are embedded in the same request."""
        start = position - position % AHEAD
        if not self._answers.missing([self._text(row)]):
            return self._answers.of([self._text(row)])[0]
        return self._answers.of([self._text(row)], ahead=list(self._batch(start)))[0]

    def _batch(self, start: int) -> Iterator[str]:
        for position in range(start, start + AHEAD):
            try:
                yield self._text(self._test[position])
            except IndexError:
                return

    def nearest(self, vector: Vectors, number: int) -> list[int]:
        """Return the positions of the examples with the largest inner product, largest first; of
        equals the first."""
        scores = self.vectors @ vector
        order = (-scores).argsort(kind="stable")
        return [int(position) for position in order[:number]]

    def _text(self, row: Row) -> str:
        return input_text(row, self._columns)


def _vector(numbers: Sequence[float]) -> Vectors:
    return numpy().asarray(numbers, dtype="float64")


def numpy() -> Any:
    """Return the numpy module; whoever makes an index knows that it is installed."""
    import numpy as module

    return module


def top_k(index: VectorIndex, number: int) -> Callable[[int, Row], list[int]]:
    """Pick the examples nearest to the row."""
    return lambda position, row: index.nearest(index.of_row(position, row), number)


def vote_k(
    index: VectorIndex, number: int, *, neighbours: int, seed: int
) -> Callable[[int, Row], list[int]]:
    """Pick examples that many others are near to, the same for every row (Vote-k)."""
    chosen: list[int] = []

    def select(position: int, row: Row) -> list[int]:
        if not chosen:
            chosen.extend(_elected(index.vectors, number, neighbours, seed))
        return list(chosen)

    return select


def _elected(vectors: Vectors, number: int, neighbours: int, seed: int) -> list[int]:
    votes = _votes(vectors, neighbours)
    ranked = sorted(votes.items(), key=lambda item: len(item[1]), reverse=True)
    chosen: list[int] = []
    for n, (position, voters) in enumerate(ranked):
        if len(chosen) >= number:
            break
        # Whose voters an example before it had too adds nothing.
        if not any(voters <= earlier for _, earlier in ranked[:n]):
            chosen.append(position)
    rest = [n for n in range(len(vectors)) if n not in chosen]
    missing = min(number - len(chosen), len(rest))
    return chosen + random.Random(seed).sample(rest, max(missing, 0))


def _votes(vectors: Vectors, neighbours: int) -> dict[int, set[int]]:
    """Return, for each example that someone votes for, who does: each votes for its nearest."""
    votes: dict[int, set[int]] = defaultdict(set)
    lengths = numpy().linalg.norm(vectors, axis=1)
    lengths[lengths == 0] = 1.0
    unit = vectors / lengths[:, None]
    for voter in range(len(unit)):
        order = (unit @ unit[voter]).argsort(kind="stable")
        for position in order[-neighbours - 1 : -1]:
            if position != voter:
                votes[int(position)].add(voter)
    return votes


def diverse(
    index: VectorIndex, number: int, *, candidates: int, scale: float
) -> Callable[[int, Row], list[int]]:
    """Pick near examples that differ from each other (determinantal point process, greedy)."""

    def select(position: int, row: Row) -> list[int]:
        vector = index.of_row(position, row)
        near = index.nearest(vector, candidates)
        relevance, kernel = _kernel(vector, index.vectors[near], scale)
        picked = _greedy_map(kernel, min(number, len(near)))
        return [near[n] for n in sorted(picked, key=lambda n: -relevance[n])]

    return select


def _kernel(vector: Vectors, near: Vectors, scale: float) -> tuple[Vectors, Vectors]:
    # https://arxiv.org/abs/2302.05698: similarities moved to 0..1, relevance weighed by scale.
    np = numpy()
    unit = near / np.linalg.norm(near, axis=1, keepdims=True)
    relevance = (unit @ (vector / np.linalg.norm(vector)) + 1) / 2
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
