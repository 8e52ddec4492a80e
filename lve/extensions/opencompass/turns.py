"""What a row asks of a model, as conversations: one question, scored texts, or a chat in turns.

AISBench's templates write images and sounds as addresses (`file://cat.png`), which a model's server
can't open. So they are sent as the files of a `prompt` are: from the test folder, within its
limits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Protocol

from lve.data_classes import dataclass
from lve.errors import PromptError
from lve.extensions.opencompass.dialogue import DialogueMessage
from lve.extensions.opencompass.formats.model_format import ModelFormat, Received
from lve.messages import Message, Part, Role
from lve.prompts.addresses import address_of, is_local
from lve.prompts.conversation import RESPONSE, Conversation, TurnRequest
from lve.prompts.size import MAX_INSTANCE_CHARACTERS, OBJECT_CHARACTERS, CharacterBudget, size_of

ROLES = {role.value: role for role in Role}


class Query(Protocol):
    """What a row asks of a model: one question, a text per label to score, or a chat in turns."""

    def conversations(self) -> Sequence[Conversation]:
        """Return the conversations to hold.

        Raises:
            PromptError: a request can't be written.
        """
        ...

    def inputs(self) -> Sequence[Received]:
        """Return what the model receives, as if each of its answers were empty.

        Raises:
            PromptError: a request can't be written.
        """
        ...


@dataclass(slots=True)
class Question:
    """One request that the model answers with text."""

    received: Received
    model: ModelFormat

    def conversations(self) -> tuple[Conversation, ...]:
        return (_open_conversation(self.received, self.model),)

    def inputs(self) -> list[Received]:
        return [self.received]


@dataclass(slots=True)
class ScoredTexts:
    """A text or chat per label, each of which the model scores."""

    texts: Sequence[tuple[object, Received]]
    """Label and its text."""
    received: Sequence[Received]
    """For display: the texts, or what they have in common."""
    model: ModelFormat

    def conversations(self) -> list[Conversation]:
        """Return a conversation per text for its log-probabilities, named after the label."""
        return [
            _open_conversation(text, self.model, name=str(label), score=True)
            for label, text in self.texts
        ]

    def inputs(self) -> Sequence[Received]:
        return self.received


def _open_conversation(
    parsed: Received, model: ModelFormat, *, name: str | None = None, score: bool = False
) -> Conversation:
    """Return a conversation with one open turn, after what the model receives."""
    request = _request(parsed, model)
    messages = map(_with_files, request.messages)
    answer = Message(role=Role.assistant, variable=RESPONSE)
    return Conversation((*messages, answer), name, prompt=request.prompt, score=score)


def _with_files(message: Message) -> Message:
    if message.content is None or isinstance(message.content, str):
        return message
    return replace(message, content=tuple(map(as_file, message.content)))


@dataclass(frozen=True, slots=True)
class ChatTurns:
    """A chat of which the model writes some messages, one after the other."""

    chat: Sequence[DialogueMessage]
    """All messages, with the answers of the data set."""
    places: Sequence[int]
    """Indexes of the messages that the model writes."""
    field: Literal["content", "prompt"]
    """The field with a message's text."""
    write: Callable[[Sequence[DialogueMessage]], Received]
    """Messages so far -> what the model receives."""
    model: ModelFormat
    own_answers: bool
    """Whether later requests contain the model's own answers instead of those of the data set."""

    def __len__(self) -> int:
        return len(self.places)

    def request(self, answers: Sequence[str]) -> TurnRequest:
        """Return the request that follows these answers of the model.

        Raises:
            PromptError: the request can't be written.
        """
        return _request(self._received(len(answers), answers), self.model)

    def conversations(self) -> tuple[Conversation, ...]:
        """Return one conversation; or one per turn if the history is that of the data set.

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
        # Errors in writing the longest request should come before the first one has been paid for.
        _request(self.write(self.chat[: self.places[-1]]), self.model)
        return (Conversation((), turns=self),)

    def inputs(self) -> list[Received]:
        """Return what the model receives in each turn, as if each of its answers were empty.

        Raises:
            TemplateError: a turn can't be written, or all together are too long.
        """
        inputs: list[Received] = []
        budget = CharacterBudget(MAX_INSTANCE_CHARACTERS, "infer")
        for number in range(len(self)):
            answers = [""] * number if self.own_answers else ()
            inputs.append(self._received(number, answers))
            budget.take(size_of(inputs[-1]))
        return inputs

    def _received(self, number: int, answers: Sequence[str]) -> Received:
        messages = list(self.chat[: self.places[number]])
        for place, answer in zip(self.places, answers, strict=False):
            messages[place] = {**messages[place], self.field: answer}
        return self.write(messages)

    def _check_size(self) -> None:
        """Raise TemplateError if all requests, without the answers, are too long together."""
        budget, history = CharacterBudget(MAX_INSTANCE_CHARACTERS, "infer"), 0
        turns = set(self.places)
        for place, message in enumerate(self.chat[: self.places[-1] + 1]):
            if place in turns:
                budget.take(history)
            history += OBJECT_CHARACTERS if place in turns else size_of(message)


def _request(parsed: Received, model: ModelFormat) -> TurnRequest:
    """Return what a model receives as messages, and as one text if its kind is `lm`."""
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
    # An empty answer is one, too: only None is an open turn.
    return Message("" if content is None else content, role)


FILE_KINDS = {"image_url": "image", "audio_url": "audio"}
"""Type of a part with an address -> the kind of the file that may stand there. There is none for
videos: no API of ours takes the content of one."""


def as_file(part: Part) -> Part:
    """Return a part that names a file of the test folder, if its address is the path of one."""
    kind = str(part.get("type"))
    address = address_of(part, kind) if kind in FILE_KINDS else None
    if address is None or not is_local(address):
        return part
    return {"type": FILE_KINDS[kind], FILE_KINDS[kind]: re.sub(r"(?i)^(file://)+", "", address)}
