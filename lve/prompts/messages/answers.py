"""Messages that contain earlier answers of the model: `{variable}` of an open turn before them."""

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
    """The variables of a prompt's answers, in order. Answers beyond `MAX_TURNS` are left out."""

    def __init__(self, messages: Sequence[Message]) -> None:
        found = ((i, one.variable) for i, one in enumerate(messages) if one.is_open)
        named = [(i, name) for i, name in islice(found, MAX_TURNS) if name is not None]
        self._indexes = [index for index, _ in named]
        self.names = tuple(name for _, name in named)

    def before(self, index: int) -> tuple[str, ...]:
        """Return the variables that the message at `index` can contain."""
        return self.names[: bisect_left(self._indexes, index)]


def answers_in_messages(messages: Sequence[Message]) -> dict[int, set[str]]:
    """Return index -> variables of the messages that contain answers, in a checked prompt."""
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


class PendingAnswer(str):
    """Stands for an answer that the model hasn't given yet; indexes and format specs don't change
    it."""

    __slots__ = ()

    def __getitem__(self, _: object) -> str:
        return self

    def __format__(self, _: str) -> str:
        return str(self)


def answer_problem(placeholder: Placeholder, answers: Collection[str]) -> str | None:
    """Return why a placeholder can't be filled with an answer; None if it can, or needs none.

    Args:
        placeholder: in a message.
        answers: variables of the answers before the message.
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
    """Return the names of a text's placeholders; none if it isn't a valid template, which another
    check reports."""
    try:
        return placeholders(text)
    except PlaceholderError:
        return ()
