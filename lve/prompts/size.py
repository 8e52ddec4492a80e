"""Limits on the size of prompts. Code that joins, fills or repeats texts checks them before it
builds anything, so that a small test document can't fill the memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from lve.errors import PromptError, TemplateError, TemplateStage
from lve.messages import Message

MAX_CHARACTERS = 16_000_000
"""Of one prompt: one text, or all messages of a conversation. More than any model reads."""
MAX_TOGETHER = 4 * MAX_CHARACTERS
"""Of all prompts of one instance: its runs, labels or turns."""
MAX_SENT = 4 * MAX_TOGETHER
"""Of all requests of one conversation: each holds what was said before."""
MAX_TURNS = 1_000
"""Open turns of one conversation."""
MAX_RUNS = 10_000
"""Prompts of one instance."""
MAX_EXAMPLES = 100_000
"""Examples in one prompt."""
OBJECT_CHARACTERS = 64
"""Size of an object in characters: about what it takes in memory."""
MAX_ITEMS = MAX_CHARACTERS // OBJECT_CHARACTERS
"""Texts and messages of a dialogue."""
NUMBER_CHARACTERS = 8
"""Size of a number, boolean or null in characters."""
MAX_SEARCHED = 2_000_000_000
"""Characters that are searched to fill one prompt: each column is looked for in the whole text."""
MANY_COLUMNS = MAX_SEARCHED // MAX_CHARACTERS

Item = TypeVar("Item")


class Room:
    """A budget of characters."""

    __slots__ = ("left", "most", "stage")

    def __init__(
        self, most: int = MAX_CHARACTERS, stage: TemplateStage | None = None, *, taken: int = 0
    ) -> None:
        """Args:
        most: characters.
        stage: the stage of rendering a data set that errors name; None elsewhere.
        taken: characters that are there already.
        """
        self.most = most
        self.left = most - taken
        self.stage = stage

    def take(self, characters: int) -> None:
        """Count characters that are about to be added.

        Raises:
            PromptError: there is no room for them (a TemplateError where there is a stage).
        """
        self.left -= characters
        if self.left < 0:
            raise too_long(self.most, self.stage)

    def taken(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield items as they are made, and count each.

        Raises:
            PromptError: there is no room for them (a TemplateError where there is a stage).
        """
        for item in items:
            self.take(size_of(item) + OBJECT_CHARACTERS)
            yield item


def searchable(row: Mapping[str, object]) -> int:
    """Return how many characters a prompt may have that is filled with a row. Each column is
    searched for in the whole text, so very wide rows allow fewer."""
    return MAX_CHARACTERS if len(row) < MANY_COLUMNS else MAX_SEARCHED // len(row)


def size_of(value: object) -> int:
    """Return the size of a message, dialogue or cell in characters; objects count for some, too."""
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
    """Return the size of a message in characters, its object included."""
    content = message.content
    size = len(content) if isinstance(content, str) else size_of(content)
    if message.tool_calls or message.provider_state is not None:
        size += size_of([*map(list, message.tool_calls), message.provider_state])
    if message.image_url is not None:
        size += len(message.image_url)
    return size + OBJECT_CHARACTERS


def too_long(most: int, stage: TemplateStage | None = None) -> PromptError:
    """Return the error of a prompt with more characters than it may have."""
    message = f"the prompt would have more than {most:,} characters: shorten what fills it"
    return (
        PromptError(message, code="prompt_too_large")
        if stage is None
        else TemplateError(message, stage=stage)
    )
