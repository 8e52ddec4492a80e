"""How a plan asks models to choose its examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from lve.models.scoring import ScoredToken

Result = TypeVar("Result")


class Ask(Protocol):
    """Asks models on behalf of a plan, through the engine's cache, budget and limits."""

    async def embed(self, model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return a vector per text.

        Raises:
            TemplateError: they can't be had.
            BudgetError: the session's budget doesn't allow it.
            Stopped: the session stops sending.
        """
        ...

    async def score(self, model: str, texts: Sequence[str]) -> Sequence[tuple[ScoredToken, ...]]:
        """Return the rated tokens of each text; errors as `embed`."""
        ...

    async def aside(self, work: Callable[[], Result]) -> Result:
        """Run a long computation in a thread, and return its result.

        Raises:
            Stopped: the session stops; nobody waits for the computation any more.
        """
        ...
