"""Converts messages for local models, which take only text."""

from __future__ import annotations

from collections.abc import Sequence

from lve.messages import Message
from lve.models.text_only import text_of


def chat_messages(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Return messages in the format of chat templates.

    Raises:
        PermanentModelError: they hold more than text, kind `not_supported`.
    """
    return [{"role": message.role.value, "content": text_of(message)} for message in messages]
