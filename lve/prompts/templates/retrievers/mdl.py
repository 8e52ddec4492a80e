"""`MDLRetriever`: of several choices of examples, the one after which a model is surest.

Self-adaptive in-context learning (https://arxiv.org/abs/2212.10375), as in OpenCompass: choices are
drawn among the nearest examples, a language model rates the prompt of every label after each, and
the choice with the lowest entropy over the labels wins.
"""

from __future__ import annotations

import asyncio
import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random

from lve.errors import TemplateError
from lve.models.scoring import ScoredToken, average_nll
from lve.prompts.ask import Ask
from lve.prompts.size import MAX_TOGETHER, Room, size_of
from lve.prompts.templates.dialogue import Cells
from lve.prompts.templates.retrievers.chance import numpy_generator, permutation
from lve.prompts.templates.retrievers.embedding import Choose, VectorIndex
from lve.prompts.templates.retrievers.known_answers import KnownAnswers
from lve.prompts.templates.retrievers.long_work import STEP, computed

KEPT_SCORES = 1 << 17
"""Rated prompts that are remembered."""
MAX_SHUFFLED = 50_000_000
"""Candidates that are shuffled: upstream shuffles them for each choice of each row."""

Texts = Callable[[Cells, Sequence[int]], tuple[str, list[str]]]
"""A row and positions of examples -> the examples as text, and the prompt per label."""


@dataclass(frozen=True)
class Choices:
    """The choices of examples to try: the same in every run, in whatever order the rows come."""

    candidates: int
    wanted: int
    times: int
    """Number of choices; the first one is the nearest examples."""
    generator: Random
    _drawn: array[int] = field(default_factory=lambda: array("I"))

    @classmethod
    def drawn(cls, candidates: int, wanted: int, times: int, seed: int) -> Choices:
        """Return the choices that numpy's `random.choice` makes after `seed`, row after row."""
        return cls(candidates, wanted, times, numpy_generator(seed))

    def steps(self, position: int) -> int:
        """Return how many candidates are shuffled for `of_row`."""
        missing = (position + 1) * self.wanted * (self.times - 1) - len(self._drawn)
        return self.candidates * missing // max(1, self.wanted)

    def of_row(self, position: int) -> list[list[int]]:
        """Return the ranks (0 is the nearest) that are tried for a test row.

        Raises:
            TemplateError: all rows up to this one would take too long.
        """
        if (position + 1) * (self.times - 1) * self.candidates > MAX_SHUFFLED:
            raise TemplateError(
                f"MDLRetriever shuffles {self.candidates:,} examples {self.times - 1:,} times for "
                f"each row: too much for row {position + 1:,}; lower `candidate_num` or "
                "`select_time`",
                stage="retrieve",
            )
        drawn, size, per_row = self._drawn, self.wanted, self.wanted * (self.times - 1)
        while len(drawn) < (position + 1) * per_row:
            drawn.extend(permutation(self.candidates, self.generator)[:size])
        first = position * per_row
        others = (list(drawn[first + n : first + n + size]) for n in range(0, per_row, size or 1))
        return [list(range(size)), *others]


class Surety:
    """How sure a language model is of a row's label after given examples."""

    def __init__(self, model: str, texts: Texts) -> None:
        self._model = model
        self._texts = texts
        self._known = KnownAnswers[tuple[ScoredToken, ...]](KEPT_SCORES)

    async def of(self, row: Cells, choices: Sequence[Sequence[int]], ask: Ask) -> list[float]:
        """Return the negative entropy over the labels for each choice; 0 is the surest.

        Raises:
            TemplateError: prompts can't be written or rated.
        """
        written, room = [], Room(MAX_TOGETHER, "retrieve")
        for choice in choices:
            written.append(self._texts(row, choice))
            room.take(size_of(written[-1]))
        texts = [prompt for _, prompts in written for prompt in prompts]
        rated = iter(await self._known.of(texts, partial(ask.score, self._model)))
        return [_surety(ice, [(text, next(rated)) for text in prompts]) for ice, prompts in written]


def _surety(ice: str, rated: Sequence[tuple[str, tuple[ScoredToken, ...]]]) -> float:
    losses = []
    for prompt, tokens in rated:
        # Only what follows the examples counts.
        start = prompt.find(ice) + len(ice) if ice and ice in prompt else 0
        losses.append(average_nll(tokens, start=start))
    chances = [math.exp(-loss) for loss in losses]
    total = sum(chances) or 1.0
    return sum(p / total * math.log(p / total) for p in chances if p > 0)


def surest(index: VectorIndex, choices: Choices, surety: Surety) -> Choose:
    """Pick the choice of examples after which the model is surest; of equals the first."""
    drawing = asyncio.Lock()

    async def choose(position: int, row: Cells, ask: Ask) -> list[int]:
        vector = await index.of_row(position, row, ask)
        near = await index.nearest(vector, choices.candidates, ask)
        async with drawing:
            draw = partial(choices.of_row, position)
            drawn = await computed(draw, STEP * choices.steps(position), ask)
        tried = [[near[rank] for rank in ranks] for ranks in drawn]
        found = await surety.of(row, tried, ask)
        return tried[found.index(max(found))]

    return choose
