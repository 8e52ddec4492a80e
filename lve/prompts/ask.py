"""The requests that a plan may send to models to choose its examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from lve.models.scoring import ScoredToken

Result = TypeVar("Result")


class Ask(Protocol):
    """Sends requests for a plan, through the engine's cache, budget and limits."""

    async def embed(self, model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return a vector per text.

        Raises:
            TemplateError: the model doesn't give them.
            BudgetError: the session's budget is used up.
            Stopped: the session stops sending.
        """
        ...

    async def score(self, model: str, texts: Sequence[str]) -> Sequence[tuple[ScoredToken, ...]]:
        """Return the rated tokens of each text; errors as `embed`."""
        ...

    async def run_in_thread(self, work: Callable[[], Result]) -> Result:
        """Run a long computation in a thread and return its result.

        Raises:
            Stopped: the session stops; the result is discarded.
        """
        ...
