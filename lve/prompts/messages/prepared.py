"""Prompts that have been read and checked, ready to be filled with an instance's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lve.data_classes import dataclass, field
from lve.errors import PromptError
from lve.escape import excerpt
from lve.messages import Message, Role
from lve.named_tuples import NamedTuple
from lve.prompts.addresses import is_text
from lve.prompts.conversation import RESPONSE, Conversation
from lve.prompts.fill import fill, parse_template, placeholders
from lve.prompts.messages.answers import PendingAnswer, answers_in_messages
from lve.prompts.messages.texts import PromptText, changed_part, filled_texts
from lve.prompts.size import MAX_CHARACTERS, OBJECT_CHARACTERS, message_size, too_long
from lve.prompts.tools.prompt_calls import with_call_ids

if TYPE_CHECKING:
    from lve.prompts.answers.answer_format import JsonAnswer
    from lve.prompts.tools.toolbox import Toolbox

APPENDED = Message(role=Role.assistant, variable=RESPONSE)


class AnswerTemplates(NamedTuple):
    """The `MessagesWithAnswers` of one instance."""

    templates: Mapping[int, Message]
    """By index, as in the prompt."""
    parameters: Mapping[str, Any]

    def between(self, start: int, end: int) -> list[int]:
        """Return the indexes of the templates from `start` up to, but not including, `end`."""
        return [index for index in self.templates if start <= index < end]

    def filled(self, index: int, message: Message, answers: Mapping[str, str]) -> Message:
        """Return `message` with the answers in its texts. Answers are inserted as they are and
        never parsed as templates.

        Raises:
            PromptError: an answer doesn't fit its format spec, or the message gets too long.
        """
        new = fill_message(self.templates[index], {**self.parameters, **answers})
        if isinstance(new.content, str) or isinstance(message.content, str | None):
            return new
        pairs = zip(new.content or (), message.content, strict=True)
        content = [part if isinstance(part.get("text"), str) else old for part, old in pairs]
        return replace(message, content=tuple(content))


@dataclass(slots=True, repr=False, eq=False)  # a named tuple takes longer to read
class PreparedPrompt:
    """A prompt that has been read and checked."""

    written: tuple[Message, ...]
    """The messages as in the test."""
    messages: tuple[Message, ...]
    """The same, with an open turn at the end."""
    to_fill: tuple[int, ...]
    """Indexes of the messages with placeholders; all instances share the others."""
    name: str | None
    repetitions: int
    size: int = 0
    """Characters of the messages without placeholders."""
    with_answers: Mapping[int, Message] = field(default_factory=dict)
    """The messages that contain earlier answers, by index."""
    answers: frozenset[str] = frozenset()
    """Variables of these answers."""
    is_text: bool = False
    """As in `Conversation`."""
    has_one_turn: bool = False
    """As in `Conversation`."""

    def filled(
        self,
        parameters: Mapping[str, object],
        toolbox: Toolbox | None = None,
        answer: JsonAnswer | None = None,
    ) -> Conversation:
        """Return the conversation of an instance.

        Raises:
            PromptError: a parameter is missing or can't be formatted.
        """
        messages, size = list(self.messages), self.size
        values, with_answers = parameters, None
        if self.with_answers:
            values = self._with_pending_answers(parameters)
            with_answers = AnswerTemplates(self.with_answers, parameters)
        for index in self.to_fill:
            messages[index] = message = fill_message(messages[index], values)
            size += message_size(message)
            if size > MAX_CHARACTERS:
                raise too_long(MAX_CHARACTERS)
        done = tuple(messages)
        # Positional arguments are faster than keywords, and this runs for every instance.
        return Conversation(
            done, self.name, None, False, answer, with_answers, None, False,
            self.is_text, toolbox, None, self.has_one_turn,
        )  # fmt: skip

    def texts(self, parameters: Mapping[str, object]) -> tuple[Message, ...]:
        """Return the messages before the open turn of a prompt that `has_one_turn`, as `filled`
        does; raises what it does."""
        messages, size = [*self.messages[:-1]], self.size
        for index in self.to_fill:
            template = messages[index]
            content = parse_template(str(template.content)).fill(parameters)
            messages[index] = Message(content, template.role)
            size += len(content) + OBJECT_CHARACTERS
        if size > MAX_CHARACTERS:
            raise too_long(MAX_CHARACTERS)
        return tuple(messages)

    def _with_pending_answers(self, parameters: Mapping[str, object]) -> dict[str, object]:
        """Return the parameters, and for each answer its own placeholder.

        Raises:
            PromptError: a parameter and an answer have the same name.
        """
        for name in sorted(self.answers & parameters.keys()):
            raise PromptError(
                f"{{{excerpt(name)}}} is both a parameter and an answer: rename one",
                code="duplicate_name",
            )
        return {**parameters, **{name: PendingAnswer(f"{{{name}}}") for name in self.answers}}


def prepared_prompt(prompt: PromptText) -> PreparedPrompt:
    """Prepare a checked prompt: find the messages that have to be filled, fill the others."""
    messages = prompt.messages
    messages = messages if messages[-1].is_open else (*messages, APPENDED)
    if any(message.tool_calls for message in messages):
        messages = tuple(with_call_ids(messages))
    to_fill = [i for i, message in enumerate(messages) if _has_placeholders(message)]
    varying, answers = set(to_fill), answers_in_messages(messages)
    prepared = [m if i in varying else fill_message(m, {}) for i, m in enumerate(messages)]
    has_only_text = all(map(is_text, messages))
    return PreparedPrompt(
        prompt.as_written,
        tuple(prepared),
        tuple(to_fill),
        prompt.source.name,
        prompt.source.repetitions,
        sum(message_size(m) for i, m in enumerate(prepared) if i not in varying),
        {index: messages[index] for index in answers},
        frozenset().union(*answers.values()),
        is_text=has_only_text,
        has_one_turn=has_only_text
        and sum(message.is_open for message in messages) == 1
        and not any(message.tool_calls or message.tool_call_id for message in messages),
    )


def _has_placeholders(message: Message) -> bool:
    if message.role is Role.assistant:
        return False
    return any(placeholders(text) for _, text in filled_texts(message))


def fill_message(message: Message, parameters: Mapping[str, object]) -> Message:
    """Return a message with the parameters' values in its content and image_url. Assistant messages
    are answers, not templates, and stay unchanged.

    Raises:
        PromptError: a parameter is missing or can't be formatted.
    """
    if message.role is Role.assistant:
        return message
    content = message.content
    if isinstance(content, str):
        content = fill(content, parameters)
    elif content is not None:
        insert = partial(fill, parameters=parameters)
        content = tuple(changed_part(part, insert) for part in content)
    image_url = message.image_url
    if image_url is not None:
        image_url = fill(image_url, parameters)
    # `variable` names an answer and has no meaning here; the original implementation drops it, too.
    return Message(content, message.role, None, image_url, (), message.tool_call_id)
