"""Converts messages for local models, which take only text."""

from __future__ import annotations

from collections.abc import Sequence

from lve.errors import PermanentModelError
from lve.messages import Message


def chat_messages(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Return messages in the format of chat templates.

    Raises:
        PermanentModelError: they hold more than text, kind `not_supported`.
    """
    return [{"role": message.role.value, "content": text_of(message)} for message in messages]


def text_of(message: Message) -> str:
    """Return the text of a message, its parts joined.

    Raises:
        PermanentModelError: it holds an image or the like, kind `not_supported`.
    """
    content = message.content
    parts = [] if content is None or isinstance(content, str) else content
    if message.image_url is not None or any(part.get("type") != "text" for part in parts):
        raise PermanentModelError(
            "a local model takes text only: images, audio and video need a server",
            kind="not_supported",
        )
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in parts)
