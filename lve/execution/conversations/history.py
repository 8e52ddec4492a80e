"""Limits how much text the requests of a conversation send, as each one repeats all messages
before."""

from __future__ import annotations

from collections.abc import Sequence

from lve.errors import PermanentModelError
from lve.messages import Message
from lve.prompts.size import MAX_CHARACTERS, MAX_SENT_CHARACTERS, message_size


class History:
    """Counts the text that the requests of one conversation send."""

    def __init__(self) -> None:
        self._counted = 0
        self._size = 0
        self._sent = 0

    def grow(self, messages: Sequence[Message]) -> None:
        """Count a request whose messages are those of the request before and some more.

        Raises:
            PermanentModelError: this request, or all requests together, are too long.
        """
        new = messages[self._counted :]
        self._counted = len(messages)
        self._send(self._size + sum(map(message_size, new)))

    def send(self, messages: Sequence[Message]) -> None:
        """Count a request with messages of its own; errors as `grow`."""
        self._send(sum(map(message_size, messages)))

    def _send(self, size: int) -> None:
        self._size = size
        self._sent += size
        if self._size > MAX_CHARACTERS:
            what = f"its messages would have more than {MAX_CHARACTERS:,} characters"
        elif self._sent > MAX_SENT_CHARACTERS:
            what = f"its requests would send more than {MAX_SENT_CHARACTERS:,} characters together"
        else:
            return
        message = f"the conversation is too long: {what}; ask for fewer turns or shorter answers"
        raise PermanentModelError(message, kind="too_long", was_sent=False)
