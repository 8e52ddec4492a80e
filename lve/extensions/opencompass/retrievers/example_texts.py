"""The texts by which retrievers compare examples, with a limit on their size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lve.errors import TemplateError
from lve.extensions.opencompass.data.tables import Table, input_text

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
