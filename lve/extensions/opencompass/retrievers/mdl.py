"""Chooses the set of examples after which a model is most certain of a row's label (MDL).

Self-adaptive in-context learning (https://arxiv.org/abs/2212.10375), as in OpenCompass: sets are
drawn from the nearest examples, a language model scores the prompt of every label after each set,
and the set with the lowest entropy over the labels wins.
"""

from __future__ import annotations

import asyncio
import math
from array import array
from collections.abc import Callable, Sequence
from functools import partial
from random import Random

from lve.data_classes import dataclass, field
from lve.errors import TemplateError
from lve.extensions.opencompass.dialogue import Cells
from lve.extensions.opencompass.likelihood import average_nll
from lve.extensions.opencompass.retrievers.embedding import Choose, VectorIndex
from lve.extensions.opencompass.retrievers.example_texts import TextCache
from lve.extensions.opencompass.retrievers.numpy_random import numpy_generator, permutation
from lve.extensions.opencompass.retrievers.retriever import MAX_STEPS
from lve.extensions.opencompass.retrievers.slow_select import PRODUCTS_PER_STEP, computed
from lve.models.token_scores import ScoredToken
from lve.prompts.conversation import Ask
from lve.prompts.size import MAX_INSTANCE_CHARACTERS, CharacterBudget, size_of

MAX_CACHED_SCORES = 1 << 17
"""Scored prompts that are cached."""

Texts = Callable[[Cells, Sequence[int]], tuple[str, list[str]]]
"""A row and positions of examples -> the examples as text, and the prompt per label."""


@dataclass(frozen=True)
class ExampleSets:
    """Random sets of examples for each row: the same in every run and for any order of the rows."""

    candidates: int
    """Number of nearest examples to draw from."""
    size: int
    """Number of examples in a set."""
    times: int
    """Number of sets; the first one has the nearest examples."""
    generator: Random
    _drawn: array[int] = field(default_factory=lambda: array("I"))

    @classmethod
    def drawn(cls, candidates: int, size: int, times: int, seed: int) -> ExampleSets:
        """Return the sets that numpy's `random.choice` draws after `seed`, row after row."""
        return cls(candidates, size, times, numpy_generator(seed))

    def steps(self, position: int) -> int:
        """Return how many candidates `for_row` has to shuffle."""
        missing = (position + 1) * self.size * (self.times - 1) - len(self._drawn)
        return self.candidates * missing // max(1, self.size)

    def for_row(self, position: int) -> list[list[int]]:
        """Return the sets for a test row, each a list of ranks (0 is the nearest example).

        Raises:
            TemplateError: drawing the sets of all rows up to this one would take too long.
        """
        if (position + 1) * (self.times - 1) * self.candidates > MAX_STEPS:
            raise TemplateError(
                f"MDLRetriever shuffles {self.candidates:,} examples {self.times - 1:,} times for "
                f"each row: too much for row {position + 1:,}; lower `candidate_num` or "
                "`select_time`",
                stage="retrieve",
            )
        drawn, size, per_row = self._drawn, self.size, self.size * (self.times - 1)
        while len(drawn) < (position + 1) * per_row:
            drawn.extend(permutation(self.candidates, self.generator)[:size])
        first = position * per_row
        others = (list(drawn[first + n : first + n + size]) for n in range(0, per_row, size or 1))
        return [list(range(size)), *others]


class LabelEntropy:
    """The entropy of a language model's prediction of a row's label after given examples."""

    def __init__(self, model: str, texts: Texts) -> None:
        self._model = model
        self._texts = texts
        self._cache = TextCache[tuple[ScoredToken, ...]](MAX_CACHED_SCORES)

    async def of(self, row: Cells, sets: Sequence[Sequence[int]], ask: Ask) -> list[float]:
        """Return the entropy over the labels after each set of examples; 0 is certainty.

        Raises:
            TemplateError: prompts can't be rendered or scored.
        """
        written, budget = [], CharacterBudget(MAX_INSTANCE_CHARACTERS, "retrieve")
        for examples in sets:
            written.append(self._texts(row, examples))
            budget.take(size_of(written[-1]))
        texts = [prompt for _, prompts in written for prompt in prompts]
        scored = iter(await self._cache.get(texts, partial(ask.score, self._model)))
        return [
            _entropy(ice, [(text, next(scored)) for text in prompts]) for ice, prompts in written
        ]


def _entropy(ice: str, scored: Sequence[tuple[str, tuple[ScoredToken, ...]]]) -> float:
    losses = []
    for prompt, tokens in scored:
        # Only the tokens after the examples count.
        start = prompt.find(ice) + len(ice) if ice and ice in prompt else 0
        losses.append(average_nll(tokens, start=start))
    chances = [math.exp(-loss) for loss in losses]
    total = sum(chances) or 1.0
    return -sum(p / total * math.log(p / total) for p in chances if p > 0)


def least_entropy(index: VectorIndex, sets: ExampleSets, entropy: LabelEntropy) -> Choose:
    """Return what picks the set of examples with the lowest entropy; of equal ones the first."""
    lock = asyncio.Lock()

    async def choose(position: int, row: Cells, ask: Ask) -> list[int]:
        vector = await index.row_vector(position, row, ask)
        near = await index.nearest(vector, sets.candidates, ask)
        async with lock:
            draw = partial(sets.for_row, position)
            drawn = await computed(draw, PRODUCTS_PER_STEP * sets.steps(position), ask)
        tried = [[near[rank] for rank in ranks] for ranks in drawn]
        entropies = await entropy.of(row, tried, ask)
        return tried[entropies.index(min(entropies))]

    return choose
