"""Prompts that were read and checked, and filling them with an instance's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lve.errors import PromptError
from lve.escape import excerpt
from lve.messages import Message, Part, Role, file_name
from lve.prompts.addresses import KINDS, address_of, is_text
from lve.prompts.conversation import RESPONSE, Conversation
from lve.prompts.fill import fill, placeholders
from lve.prompts.messages.answers import UnknownAnswer, repeating_messages
from lve.prompts.messages.prompt_file import PromptText
from lve.prompts.messages.texts import filled_texts
from lve.prompts.size import (
    MAX_CHARACTERS,
    message_size,
    too_long,
)
from lve.prompts.tools.written import with_call_ids

if TYPE_CHECKING:
    from lve.prompts.answers.answer_format import JsonAnswer
    from lve.prompts.tools.toolbox import Toolbox

APPENDED = Message(role=Role.assistant, variable=RESPONSE)


class RepeatingMessages(NamedTuple):
    """The messages of a prompt that repeat answers of the model, with an instance's parameters."""

    templates: Mapping[int, Message]
    parameters: Mapping[str, Any]

    def between(self, start: int, end: int) -> list[int]:
        """Return the indexes of those from `start` up to `end`."""
        return [index for index in self.templates if start <= index < end]

    def filled(self, index: int, message: Message, answers: Mapping[str, str]) -> Message:
        """Return one of them, with answers in its texts and all else as it stands in `message`. An
        answer is inserted as it is, and never read as a template.

        Raises:
            PromptError: an answer can't be formatted as the message wants it, or is too long.
        """
        new = fill_message(self.templates[index], {**self.parameters, **answers})
        if isinstance(new.content, str) or isinstance(message.content, str | None):
            return new
        pairs = zip(new.content or (), message.content, strict=True)
        content = [one if isinstance(one.get("text"), str) else old for one, old in pairs]
        return replace(message, content=tuple(content))


class PreparedPrompt(NamedTuple):
    """A prompt that has been read and checked."""

    written: tuple[Message, ...]
    """As in the file."""
    messages: tuple[Message, ...]
    """With the open turn that was appended, where there was none at the end."""
    to_fill: tuple[int, ...]
    """Indexes of the messages that parameters change; the others are shared by all instances."""
    name: str | None
    repetitions: int
    size: int = 0
    """Characters of the messages that all instances share."""
    later: Mapping[int, Message] = {}
    """Those of the messages to fill that repeat answers, by index."""
    repeated: frozenset[str] = frozenset()
    """The variables of these answers."""
    is_text: bool = False
    """As of `Conversation`."""

    def filled(
        self,
        parameters: Mapping[str, Any],
        toolbox: Toolbox | None = None,
        answer: JsonAnswer | None = None,
    ) -> Conversation:
        """Return the conversation of an instance.

        Raises:
            PromptError: a parameter is missing or can't be formatted.
        """
        messages, size = list(self.messages), self.size
        values, later = parameters, None
        if self.later:
            values = self._with_answers(parameters)
            later = RepeatingMessages(self.later, parameters)
        for index in self.to_fill:
            messages[index] = message = fill_message(messages[index], values)
            size += message_size(message)
            if size > MAX_CHARACTERS:
                raise too_long(MAX_CHARACTERS)
        done = tuple(messages)
        # By position, as this runs for every instance: a class takes keywords as a dict.
        return Conversation(
            done, self.name, None, False, answer, later, None, False, self.is_text, toolbox
        )

    def _with_answers(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters, and the names of answers in the place of these.

        Raises:
            PromptError: something is both.
        """
        for name in sorted(self.repeated & parameters.keys()):
            raise PromptError(
                f"{{{excerpt(name)}}} is both a parameter and an answer: rename one",
                code="duplicate_name",
            )
        return {**parameters, **{name: UnknownAnswer(f"{{{name}}}") for name in self.repeated}}


def prepared_prompt(prompt: PromptText) -> PreparedPrompt:
    """Return a prompt ready to be filled."""
    written = prompt.messages
    messages = written if written[-1].is_open else (*written, APPENDED)
    if any(message.tool_calls for message in messages):
        messages = tuple(with_call_ids(messages))
    to_fill = [i for i, message in enumerate(messages) if _has_placeholders(message)]
    varying, later = set(to_fill), repeating_messages(messages)
    prepared = [m if i in varying else fill_message(m, {}) for i, m in enumerate(messages)]
    return PreparedPrompt(
        written,
        tuple(prepared),
        tuple(to_fill),
        prompt.source.name,
        prompt.source.repetitions,
        sum(message_size(m) for i, m in enumerate(prepared) if i not in varying),
        {index: messages[index] for index in later},
        frozenset().union(*later.values()),
        is_text=all(map(is_text, messages)),
    )


def _has_placeholders(message: Message) -> bool:
    if message.role is Role.assistant:
        return False
    return any(placeholders(text) for _, text in filled_texts(message))


def fill_message(message: Message, parameters: Mapping[str, Any]) -> Message:
    """Return a message with the parameters' values in its content and image_url. Assistant
    messages are answers, not templates: they stay as they are.

    Raises:
        PromptError: a parameter is missing or can't be formatted.
    """
    if message.role is Role.assistant:
        return message
    content = message.content
    if isinstance(content, str):
        content = fill(content, parameters)
    elif content is not None:
        content = tuple(_fill_part(part, parameters) for part in content)
    image_url = message.image_url
    if image_url is not None:
        image_url = fill(image_url, parameters)
    # `variable` names an answer and means nothing here; the original implementation drops it too.
    return Message(content, message.role, None, image_url, (), message.tool_call_id)


def _fill_part(part: Part, parameters: Mapping[str, Any]) -> Part:
    filled = dict(part)
    if isinstance(part.get("text"), str):
        filled["text"] = fill(part["text"], parameters)
    name = file_name(part)
    if name is not None:
        filled[str(part["type"])] = fill(name, parameters)
    for kind in KINDS:
        url, holder = address_of(part, kind), part.get(kind)
        if url is not None:
            text = fill(url, parameters)
            filled[kind] = {**holder, "url": text} if isinstance(holder, Mapping) else text
    return filled
