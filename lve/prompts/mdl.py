"""`MDLRetriever`: of several choices of examples, the one after which a model is surest.

Self-adaptive in-context learning (https://arxiv.org/abs/2212.10375), as in OpenCompass: choices are
drawn among the nearest examples, a language model rates the prompt of every label after each, and
the choice with the lowest entropy over the labels wins.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from lve.models.scoring import average_nll, scored_tokens
from lve.prompts.chance import numpy_generator, permutation
from lve.prompts.dialogue import Row
from lve.prompts.embedding_retrievers import VectorIndex
from lve.prompts.wanted import KEPT_SCORES, Answers

Texts = Callable[[Row, Sequence[int]], tuple[str, list[str]]]
"""A row and positions of examples -> the examples as text, and the prompt per label."""


@dataclass(frozen=True)
class Choices:
    """Which of the nearest examples are tried, the same in every run and order of rows."""

    candidates: int
    wanted: int
    times: int
    """So many choices; the first is the nearest examples."""
    generator: Random
    _drawn: array[int] = field(default_factory=lambda: array("I"))

    @classmethod
    def drawn(cls, candidates: int, wanted: int, times: int, seed: int) -> Choices:
        """Return the choices that numpy's `random.choice` makes after `seed`, row after row."""
        return cls(candidates, wanted, times, numpy_generator(seed))

    def of_row(self, position: int) -> list[list[int]]:
        """Return the ranks (0 is the nearest) that are tried for a test row."""
        drawn, size, per_row = self._drawn, self.wanted, self.wanted * (self.times - 1)
        while len(drawn) < (position + 1) * per_row:
            drawn.extend(permutation(self.candidates, self.generator)[:size])
        first = position * per_row
        others = (list(drawn[first + n : first + n + size]) for n in range(0, per_row, size or 1))
        return [list(range(size)), *others]


class Surety:
    """How sure a language model is of the label, with some examples before the row."""

    def __init__(self, model: str, texts: Texts) -> None:
        self._texts = texts
        self._answers = Answers(
            model, "scores", read=lambda found: scored_tokens(found, model), kept=KEPT_SCORES
        )

    def of(self, row: Row, choices: Sequence[Sequence[int]]) -> list[float]:
        """Return the negative entropy over the labels for each choice; 0 is the surest.

        Raises:
            AnswersWanted: prompts haven't been rated yet; it names those of all choices.
        """
        written = [self._texts(row, choice) for choice in choices]
        self._answers.of([prompt for _, prompts in written for prompt in prompts])
        return [self._surety(ice, prompts) for ice, prompts in written]

    def _surety(self, ice: str, prompts: Sequence[str]) -> float:
        losses = []
        for prompt, tokens in zip(prompts, self._answers.of(prompts), strict=True):
            # Only what follows the examples counts.
            start = prompt.find(ice) + len(ice) if ice and ice in prompt else 0
            losses.append(average_nll(tokens, start=start))
        chances = [math.exp(-loss) for loss in losses]
        total = sum(chances) or 1.0
        return sum(p / total * math.log(p / total) for p in chances if p > 0)


def surest(index: VectorIndex, choices: Choices, surety: Surety) -> Callable[[int, Row], list[int]]:
    """Pick the choice of examples after which the model is surest; of equals the first."""

    def select(position: int, row: Row) -> list[int]:
        near = index.nearest(index.of_row(position, row), choices.candidates)
        tried = [[near[rank] for rank in ranks] for ranks in choices.of_row(position)]
        found = surety.of(row, tried)
        return tried[found.index(max(found))]

    return select
