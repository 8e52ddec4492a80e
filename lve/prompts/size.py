"""Limits on the size of prompts.

Code that joins, fills or repeats texts checks the limits before it builds anything, so that a small
test document can't fill the memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from lve.errors import PromptError, TemplateError, TemplateStage
from lve.messages import Message

MAX_CHARACTERS = 16_000_000
"""Characters of one prompt: a text, or all messages of a conversation. More than any model reads.
"""
MAX_INSTANCE_CHARACTERS = 4 * MAX_CHARACTERS
"""Characters of all prompts of one instance: its runs, labels or turns."""
MAX_SENT_CHARACTERS = 4 * MAX_INSTANCE_CHARACTERS
"""Characters of all requests of one conversation, each of which repeats the messages before."""
MAX_TURNS = 1_000
"""Open turns of one conversation."""
MAX_RUNS = 10_000
"""Prompts of one instance."""
MAX_EXAMPLES = 100_000
"""Examples in one prompt."""
OBJECT_CHARACTERS = 64
"""Size of an object, in characters: roughly its memory."""
MAX_ITEMS = MAX_CHARACTERS // OBJECT_CHARACTERS
"""Texts and messages of a dialogue."""
NUMBER_CHARACTERS = 8
"""Size of a number, boolean or null, in characters."""
MAX_SEARCHED = 2_000_000_000
"""Characters searched to fill one prompt. The whole text is searched for each column."""
MANY_COLUMNS = MAX_SEARCHED // MAX_CHARACTERS
"""Rows with at least so many columns may fill only shorter prompts."""

Item = TypeVar("Item")


class CharacterBudget:
    """A number of characters that a prompt, or several together, may have."""

    __slots__ = ("left", "most", "stage")

    def __init__(self, most: int = MAX_CHARACTERS, stage: TemplateStage | None = None) -> None:
        """Args:
        most: number of characters.
        stage: of rendering a data set, for errors. None outside of data sets.
        """
        self.most = most
        self.left = most
        self.stage = stage

    def take(self, characters: int) -> None:
        """Count characters that are about to be added.

        Raises:
            PromptError: so many aren't left (a TemplateError if the budget has a stage).
        """
        self.left -= characters
        if self.left < 0:
            raise too_long(self.most, self.stage)

    def counted(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield items one by one and count each; errors as `take`."""
        for item in items:
            self.take(size_of(item) + OBJECT_CHARACTERS)
            yield item


def max_filled_characters(row: Mapping[str, object]) -> int:
    """Return how many characters a prompt filled with `row` may have: fewer for very wide rows,
    because the whole text is searched for each column."""
    return MAX_CHARACTERS if len(row) < MANY_COLUMNS else MAX_SEARCHED // len(row)


def size_of(value: object) -> int:
    """Return the size of a message, dialogue or cell in characters, including its objects."""
    if isinstance(value, str):
        return len(value)
    size, waiting = 0, [value]
    while waiting:  # No recursion: a cell may be nested deeply.
        inner = waiting.pop()
        if isinstance(inner, str):
            size += len(inner)
        elif isinstance(inner, dict):
            size += OBJECT_CHARACTERS
            waiting += inner.values()
        elif isinstance(inner, list | tuple):
            size += OBJECT_CHARACTERS
            waiting += inner
        else:
            size += NUMBER_CHARACTERS
    return size


def message_size(message: Message) -> int:
    """Return the size of a message in characters, including the object itself."""
    content = message.content
    size = len(content) if isinstance(content, str) else size_of(content)
    if message.tool_calls or message.provider_state is not None:
        size += size_of([*map(list, message.tool_calls), message.provider_state])
    if message.image_url is not None:
        size += len(message.image_url)
    return size + OBJECT_CHARACTERS


def too_long(most: int, stage: TemplateStage | None = None) -> PromptError:
    """Return the error for a prompt with more than `most` characters; arguments as in
    `CharacterBudget`."""
    message = f"the prompt would have more than {most:,} characters: shorten what fills it"
    return (
        PromptError(message, code="prompt_too_large")
        if stage is None
        else TemplateError(message, stage=stage)
    )
