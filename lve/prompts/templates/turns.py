"""Makes conversations that the engine can hold from what a model receives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from lve.errors import PromptError
from lve.messages import Message, Role
from lve.prompts.conversation import RESPONSE, Conversation, TurnRequest
from lve.prompts.size import MAX_TOGETHER, OBJECT_CHARACTERS, Room, size_of
from lve.prompts.templates.dialogue import DialogueMessage
from lve.prompts.templates.formats.model_format import ModelFormat, Received

ROLES = {role.value: role for role in Role}


class Asked(Protocol):
    """What a row asks a model: one question, the texts of labels, or the turns of a chat."""

    def conversations(self) -> Sequence[Conversation]:
        """Return the conversations to hold.

        Raises:
            PromptError: a request can't be written.
        """
        ...

    def inputs(self) -> Sequence[Received]:
        """Return what the model receives; its answers are taken to be empty.

        Raises:
            PromptError: a request can't be written.
        """
        ...


@dataclass(slots=True)
class Question:
    """One request that the model answers in words."""

    received: Received
    model: ModelFormat

    def conversations(self) -> tuple[Conversation, ...]:
        """Return the one conversation."""
        return (_open_conversation(self.received, self.model),)

    def inputs(self) -> list[Received]:
        """Return what the model receives."""
        return [self.received]


@dataclass(slots=True)
class RatedTexts:
    """A text, or a chat, per label, each of which the model rates."""

    texts: Sequence[tuple[object, Received]]
    """Label and text, from the beginning."""
    shown: Sequence[Received]
    """The texts, or what they share."""
    model: ModelFormat

    def conversations(self) -> list[Conversation]:
        """Return what asks for the log-probabilities of each text. Its name is the label."""
        return [
            _open_conversation(text, self.model, name=str(label), score=True)
            for label, text in self.texts
        ]

    def inputs(self) -> Sequence[Received]:
        """Return the texts, or what they share."""
        return self.shown


def _open_conversation(
    parsed: Received, model: ModelFormat, *, name: str | None = None, score: bool = False
) -> Conversation:
    """Return what a model receives as a conversation with one open turn at the end."""
    request = _request(parsed, model)
    answer = Message(role=Role.assistant, variable=RESPONSE)
    return Conversation((*request.messages, answer), name, prompt=request.prompt, score=score)


@dataclass(frozen=True, slots=True)
class ChatTurns:
    """A chat in which the model is asked for some of its messages, one after the other."""

    chat: Sequence[DialogueMessage]
    """All messages, with the answers that the data set gives."""
    places: Sequence[int]
    """Of the messages that the model is asked for."""
    field: Literal["content", "prompt"]
    """Where a message has its text."""
    write: Callable[[Sequence[DialogueMessage]], Received]
    """Returns what the model receives when it is asked after these messages."""
    model: ModelFormat
    own_answers: bool
    """Whether the model's own answers are repeated to it, and not those of the data set."""

    def __len__(self) -> int:
        return len(self.places)

    def request(self, answers: Sequence[str]) -> TurnRequest:
        """Return what the model receives after these answers of its own.

        Raises:
            PromptError: the request can't be written.
        """
        return _request(self._received(len(answers), answers), self.model)

    def conversations(self) -> tuple[Conversation, ...]:
        """Return the dialogue; or a conversation per turn, where the history is given.

        Raises:
            PromptError: there is no turn, or a request can't be written.
        """
        if not self.places:
            raise PromptError("the row has no turn for the model", code="message_roles")
        if not self.own_answers or len(self) == 1:
            return tuple(
                _open_conversation(parsed, self.model, name=f"turn {n}" if len(self) > 1 else None)
                for n, parsed in enumerate(self.inputs(), 1)
            )
        self._check_size()
        # The longest request shows what can't be written before the first one has been paid for.
        _request(self.write(self.chat[: self.places[-1]]), self.model)
        return (Conversation((), turns=self),)

    def inputs(self) -> list[Received]:
        """Return what the model receives, turn by turn; its own answers are taken to be empty.

        Raises:
            TemplateError: all turns together are too long, or one can't be written.
        """
        inputs: list[Received] = []
        room = Room(MAX_TOGETHER, "infer")
        for number in range(len(self)):
            answers = [""] * number if self.own_answers else ()
            inputs.append(self._received(number, answers))
            room.take(size_of(inputs[-1]))
        return inputs

    def _received(self, number: int, answers: Sequence[str]) -> Received:
        said = list(self.chat[: self.places[number]])
        for place, answer in zip(self.places, answers, strict=False):
            said[place] = {**said[place], self.field: answer}
        return self.write(said)

    def _check_size(self) -> None:
        """Refuse a dialogue whose requests are too long together, without the model's answers."""
        room, said = Room(MAX_TOGETHER, "infer"), 0
        asked = set(self.places)
        for place, message in enumerate(self.chat[: self.places[-1] + 1]):
            if place in asked:
                room.take(said)
            said += OBJECT_CHARACTERS if place in asked else size_of(message)


def _request(parsed: Received, model: ModelFormat) -> TurnRequest:
    """Return what a model receives as messages, and as text where it takes texts."""
    messages = tuple(map(_message, model.messages(parsed)))
    is_text = model.kind == "lm" and isinstance(parsed, str)
    return TurnRequest(messages, str(parsed) if is_text else None)


def _message(message: Mapping[str, Any]) -> Message:
    name, content = message["role"], message["content"]
    role = ROLES.get(name) if isinstance(name, str) else None
    if role is None:
        raise PromptError(f"no chat server knows the role {name!r}", code="message_roles")
    if isinstance(content, list):
        return Message(tuple(content), role)
    # An empty answer is an answer: only None would be an open turn.
    return Message("" if content is None else content, role)
