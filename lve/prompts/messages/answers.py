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
        variables = ((i, message.variable) for i, message in enumerate(messages) if message.is_open)
        turns = [(i, name) for i, name in islice(variables, MAX_TURNS) if name is not None]
        self._indexes = [index for index, _ in turns]
        self.names = tuple(name for _, name in turns)

    def before(self, index: int) -> tuple[str, ...]:
        """Return the variables that the message at `index` can contain."""
        return self.names[: bisect_left(self._indexes, index)]


def answers_in_messages(messages: Sequence[Message]) -> dict[int, set[str]]:
    """Return index -> variables of the messages that contain answers, in a checked prompt."""
    variables: set[str] = set()
    variables_of_message = {}
    for index, message in enumerate(messages):
        if message.is_open and message.variable is not None:
            variables.add(message.variable)
        elif variables and message.role is not Role.assistant and variables & _names(message):
            variables_of_message[index] = variables & _names(message)
    return variables_of_message


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
    quoted, spec = excerpt(placeholder.name, 40), placeholder.spec
    inner = spec.placeholders() if spec is not None else ()
    if any(nested.name in answers for nested in inner):
        return f"{{{quoted}:...}}: an answer can't be part of a format"
    if placeholder.name not in answers:
        return None
    if any(isinstance(index, str) for index in placeholder.indexes):
        return f"{{{quoted}[...]}}: an answer is a text, whose characters are [0], [1], ..."
    if spec is None or inner:
        return None
    try:
        format("", spec.fill({}))
    except (ValueError, PlaceholderError) as error:
        return f"{{{quoted}}} can't be formatted: {error}"
    return None


def placeholders_in(text: str) -> tuple[str, ...]:
    """Return the names of a text's placeholders; none if it isn't a valid template, which another
    check reports."""
    try:
        return placeholders(text)
    except PlaceholderError:
        return ()
