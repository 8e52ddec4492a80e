"""The texts by which retrievers compare examples, with a limit on their size; and a cache of a
model's results for texts, so that each text is sent once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Generic, TypeVar

from lve.errors import TemplateError
from lve.extensions.opencompass.data.tables import Table, input_text

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


MAX_CHARACTERS = 100_000_000
"""Characters of all examples that are compared by their texts."""
HINT = "choose fewer with `train_range`"


def example_texts(train: Table, columns: Sequence[str], retriever: str, most: int) -> Iterator[str]:
    """Yield the text of each example.

    Args:
        train: the examples.
        columns: to compare.
        retriever: name of the retriever, for messages.
        most: number of examples that it can compare.

    Raises:
        TemplateError: there are too many examples, or they have too many characters.
    """
    if len(train) > most:
        raise too_many(f"{retriever} takes {most:,} examples at most, not {len(train):,}")
    left = MAX_CHARACTERS
    for number in range(len(train)):
        text = input_text(train[number], columns)
        left -= len(text)
        if left < 0:
            raise too_many(
                f"{retriever} takes examples of {MAX_CHARACTERS:,} characters together at most"
            )
        yield text


def too_many(what: str) -> TemplateError:
    """Return an error about too many examples, with a hint."""
    return TemplateError(f"{what}: {HINT}", stage="retrieve")
