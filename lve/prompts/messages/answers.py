"""Messages that repeat answers of the model: `{variable}` of an open turn before them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from itertools import islice

from lve.errors import PlaceholderError
from lve.escape import excerpt
from lve.messages import Message, Role
from lve.prompts.fill import Placeholder, placeholders
from lve.prompts.messages.texts import filled_texts
from lve.prompts.size import MAX_TURNS


class NamedAnswers:
    """The variables of a prompt's answers, in order; of the most that a prompt may have."""

    def __init__(self, messages: Sequence[Message]) -> None:
        found = ((i, one.variable) for i, one in enumerate(messages) if one.is_open)
        named = [(i, name) for i, name in islice(found, MAX_TURNS) if name is not None]
        self._indexes = [index for index, _ in named]
        self.names = tuple(name for _, name in named)

    def before(self, index: int) -> tuple[str, ...]:
        """Return those that the message with an index can repeat."""
        return self.names[: bisect_left(self._indexes, index)]


def repeating_messages(messages: Sequence[Message]) -> dict[int, set[str]]:
    """Return which messages repeat answers: index -> variables. The prompt has been checked."""
    known: set[str] = set()
    found = {}
    for index, message in enumerate(messages):
        if message.is_open and message.variable is not None:
            known.add(message.variable)
        elif known and message.role is not Role.assistant and known & _names(message):
            found[index] = known & _names(message)
    return found


def _names(message: Message) -> set[str]:
    return {name for _, text in filled_texts(message) for name in placeholders(text)}


class UnknownAnswer(str):
    """Stands for an answer that isn't known yet, however it will be inserted."""

    __slots__ = ()

    def __getitem__(self, _: object) -> str:
        return self

    def __format__(self, _: str) -> str:
        return str(self)


def why_unfit(placeholder: Placeholder, answers: Collection[str]) -> str | None:
    """Return why answers can't be inserted like this, None if they can.

    Args:
        placeholder: of a message.
        answers: the variables of the answers before it.
    """
    shown, spec = excerpt(placeholder.name, 40), placeholder.spec
    inner = spec.placeholders() if spec is not None else ()
    if any(one.name in answers for one in inner):
        return f"{{{shown}:...}}: an answer can't be part of a format"
    if placeholder.name not in answers:
        return None
    if any(isinstance(index, str) for index in placeholder.indexes):
        return f"{{{shown}[...]}}: an answer is a text, whose characters are [0], [1], ..."
    if spec is None or inner:
        return None
    try:
        format("", spec.fill({}))
    except (ValueError, PlaceholderError) as error:
        return f"{{{shown}}} can't be formatted: {error}"
    return None


def placeholders_in(text: str) -> tuple[str, ...]:
    """Return the names in a text, nothing if it is no template: that is reported elsewhere."""
    try:
        return placeholders(text)
    except PlaceholderError:
        return ()
