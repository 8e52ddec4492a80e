"""A cache of a model's results for texts, so that each text is sent once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Result = TypeVar("Result")


class TextCache(Generic[Result]):
    """Results by text. The oldest are evicted first."""

    def __init__(self, size: int) -> None:
        """Args:
        size: number of results; more if a single request has more.
        """
        self._size = size
        self._results: dict[str, Result] = {}

    async def get(
        self,
        texts: Sequence[str],
        request: Callable[[Sequence[str]], Awaitable[Sequence[Result]]],
        *,
        prefetch: Callable[[], Sequence[str]] = tuple,
    ) -> list[Result]:
        """Return the result for each text.

        Args:
            texts: may have duplicates, which are requested once.
            request: returns the results for texts that aren't cached.
            prefetch: returns texts that will be needed soon, to add to a request if there is one.
        """
        results = {text: self._results[text] for text in texts if text in self._results}
        if len(results) < len(set(texts)):
            needed = dict.fromkeys([*texts, *prefetch()])
            missing = [text for text in needed if text not in self._results]
            new = dict(zip(missing, await request(missing), strict=True))
            self._add(new)
            results.update(new)
        return [results[text] for text in texts]

    def _add(self, new: dict[str, Result]) -> None:
        self._results.update(new)
        most = max(self._size, len(new))
        for text in list(self._results)[: max(0, len(self._results) - most)]:
            del self._results[text]
