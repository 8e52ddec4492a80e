"""The text of a conversation that attacks change: the last one of the user before the model's first
answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lve.errors import PromptError
from lve.messages import Message, Part, Role
from lve.prompts.conversation import Conversation
from lve.prompts.size import MAX_CHARACTERS, message_size, too_long


def attacked_text(conversation: Conversation) -> str:
    """Return the text that attacks change.

    Raises:
        PromptError: there is none.
    """
    return text_of(conversation.messages[_place(conversation)])


def with_text(conversation: Conversation, change: Callable[[str], str]) -> Conversation:
    """Return a conversation with its text changed.

    Raises:
        PromptError: there is no text, or the conversation gets too long.
    """
    place = _place(conversation)
    return with_message(conversation, place, _with_content(conversation.messages[place], change))


def with_image(
    conversation: Conversation, parts: Callable[[str], tuple[Part, ...]]
) -> Conversation:
    """Return a conversation with its text replaced by parts; errors as `with_text`."""
    place = _place(conversation)
    message = conversation.messages[place]
    others: tuple[Part, ...] = ()
    if message.content is not None and not isinstance(message.content, str):
        others = tuple(part for part in message.content if not isinstance(part.get("text"), str))
    changed = replace(message, content=(*parts(text_of(message)), *others))
    return replace(with_message(conversation, place, changed), is_text=False, has_one_turn=False)


def with_message(conversation: Conversation, place: int, message: Message) -> Conversation:
    """Return a conversation with another message at a place.

    Raises:
        PromptError: it gets too long.
    """
    messages = list(conversation.messages)
    messages[place] = message
    if sum(map(message_size, messages)) > MAX_CHARACTERS:
        raise too_long(MAX_CHARACTERS)
    return replace(conversation, messages=tuple(messages))


def text_of(message: Message) -> str:
    """Return a message's text; empty if it has none."""
    content = message.content or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))


def _place(conversation: Conversation) -> int:
    first = next(iter(conversation.open_turns), len(conversation.messages))
    for place in range(first - 1, -1, -1):
        message = conversation.messages[place]
        if message.role is Role.user and text_of(message):
            return place
    raise PromptError("there is no text of a user for an attack to change", code="attacks")


def _with_content(message: Message, change: Callable[[str], str]) -> Message:
    content = message.content or ""
    if isinstance(content, str):
        return replace(message, content=change(content))
    parts: list[Part] = [
        {**part, "text": change(part["text"])} if isinstance(part.get("text"), str) else part
        for part in content
    ]
    return replace(message, content=tuple(parts))
