"""Conversations with open turns, and plans that make them: what all dialects have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lve.errors import Problem
from lve.messages import Message, Role
from lve.prompts.ask import Ask
from lve.prompts.size import MAX_TOGETHER, Room, message_size
from lve.spec.model import Instance, Spec
from lve.spec.simulated_user import SimulatedUser

if TYPE_CHECKING:
    from lve.prompts.answers.answer_format import JsonAnswer
    from lve.prompts.tools.toolbox import Toolbox

RESPONSE = "response"
"""Variable of the last answer, where the test names none."""


class TurnRequest(NamedTuple):
    """What a model receives in one turn of a dialogue."""

    messages: tuple[Message, ...]
    prompt: str | None = None
    """The messages as one text, for a model of kind `lm`."""

    def new_messages(self, before: TurnRequest | None, answer: str) -> tuple[Message, ...]:
        """Return what the request says beyond the one before it and the answer to that one.

        A request that doesn't begin like the one before it is new as a whole.
        """
        if before is None:
            return self.messages
        if self.prompt is not None and before.prompt is not None:
            return (Message(self.prompt.removeprefix(before.prompt + answer)),)
        known = len(before.messages)
        goes_on = len(self.messages) > known and self.messages[:known] == before.messages
        return self.messages[known + 1 :] if goes_on else self.messages


class Turns(Protocol):
    """A dialogue in which each request is written from the model's answers so far."""

    def __len__(self) -> int:
        """Return how many answers are asked for."""
        ...

    def request(self, answers: Sequence[str]) -> TurnRequest:
        """Return what the model receives after these answers.

        Raises:
            PromptError: an answer can't be written into the request.
        """
        ...


class LaterMessages(Protocol):
    """The messages of a conversation that repeat answers of the model."""

    def between(self, start: int, end: int) -> Sequence[int]:
        """Return the indexes of those from `start` up to `end`."""
        ...

    def filled(self, index: int, message: Message, answers: Mapping[str, str]) -> Message:
        """Return one of them.

        Args:
            index: its own.
            message: as it stands in the conversation, with its files.
            answers: variable -> text of the answers before it.

        Raises:
            PromptError: an answer can't be formatted as the message wants it, or is too long.
        """
        ...


def turn_variable(number: int, turns: int) -> str:
    """Return the variable of a dialogue's answer, counted from 0; the last one is the response."""
    return RESPONSE if number == turns - 1 else f"turn_{number + 1}"


@dataclass(slots=True)
class Conversation:
    """Messages of one run, filled with the parameters, with at least one open turn."""

    messages: tuple[Message, ...]
    """The last one is an open turn. Empty where `turns` writes them."""
    name: str | None = None
    prompt: str | None = None
    """The messages before the open turn as one text, for a model of kind `lm`."""
    score: bool = False
    """Whether the model rates `prompt` instead of continuing it."""
    answer: JsonAnswer | None = None
    """The format of the last answer; None if any text will do."""
    later: LaterMessages | None = None
    """Those of `messages` that repeat answers; there they have the names of these."""
    turns: Turns | None = None
    """Writes each request from the answers so far. None: the beginning of `messages` is sent."""
    has_files: bool = False
    """Whether messages name files of the test folder, whose content has to be sent."""
    is_text: bool = False
    """Whether all messages are known to be texts, without files and addresses."""
    toolbox: Toolbox | None = None
    """The tools that the model may ask for."""
    user: SimulatedUser | None = None
    """Goes on with the conversation after the last answer; its instructions are filled."""

    @property
    def open_turns(self) -> tuple[int, ...]:
        """Indexes of the turns that the model fills, in order."""
        # An open turn has no content, and asking that first saves a call for most messages.
        return tuple([i for i, m in enumerate(self.messages) if m.content is None and m.is_open])


def previewed(conversation: Conversation) -> Conversation:
    """Return a conversation before it is held: answers that later requests repeat are empty.

    Raises:
        PromptError: a request can't be written, or all together are too long.
    """
    turns = conversation.turns
    if turns is None:
        return conversation
    messages: list[Message] = []
    before, room = None, Room(MAX_TOGETHER)
    for number in range(len(turns)):
        request = turns.request([""] * number)
        room.take(sum(map(message_size, request.messages)))
        messages += request.new_messages(before, "")
        messages.append(Message(role=Role.assistant, variable=turn_variable(number, len(turns))))
        before = request
    return Conversation(tuple(messages), conversation.name)


class Plan(Protocol):
    """A test whose prompts have been read and checked."""

    @property
    def spec(self) -> Spec: ...

    @property
    def warnings(self) -> Sequence[Problem]:
        """Problems of the prompts that don't keep them from being sent."""
        ...

    @property
    def asks_for(self) -> str | None:
        """What models are asked for to choose examples, such as `vectors of MODEL`; None if none
        is asked."""
        ...

    async def conversations(self, instance: Instance, ask: Ask | None) -> Sequence[Conversation]:
        """Return one conversation per run, in order (repetitions written out).

        Args:
            instance: fills the prompts.
            ask: asks models to choose examples. None: they may not be asked.

        Raises:
            PromptError: a parameter is missing or can't be formatted, or a model would have to be
                asked and may not be.
            BudgetError, Stopped: as `Ask.embed`.
        """
        ...

    def preview(self, instance: Instance) -> Sequence[Conversation]:
        """Return the conversations as far as they are known before any model is asked: without the
        examples that one chooses, and with empty answers where later requests repeat them.

        Raises:
            PromptError: a parameter is missing or can't be formatted.
        """
        ...
