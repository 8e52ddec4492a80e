"""A scripted `Ask`: gives vectors and ratings by functions of the text, and notes the questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from lve.models.token_scores import ScoredToken

Result = TypeVar("Result")


class ScriptedAsk:
    """Asks nobody."""

    def __init__(
        self,
        vector: Callable[[str], Sequence[float]],
        rating: Callable[[str], tuple[ScoredToken, ...]] | None = None,
    ) -> None:
        self.vector = vector
        self.rating = rating
        self.embedded: list[tuple[str, tuple[str, ...]]] = []
        self.rated: list[tuple[str, tuple[str, ...]]] = []
        self.computed = 0
        """Computations that took long."""

    async def embed(self, model: str, texts: Sequence[str]) -> list[Sequence[float]]:
        self.embedded.append((model, tuple(texts)))
        return [self.vector(text) for text in texts]

    async def score(self, model: str, texts: Sequence[str]) -> list[Any]:
        assert self.rating is not None
        self.rated.append((model, tuple(texts)))
        return [self.rating(text) for text in texts]

    async def run_in_thread(self, work: Callable[[], Result]) -> Result:
        self.computed += 1
        return work()
