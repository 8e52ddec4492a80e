"""Collects messages for a few milliseconds, and sends them in batches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

COLLECT_S = 0.002
"""Seconds that the first message of a batch waits for others; sending a batch takes about as
long."""


class Outbox:
    """Sends messages in batches, in their order."""

    def __init__(
        self, send: Callable[[list[object]], None], *, last: Callable[[], Iterable[object]] = tuple
    ) -> None:
        """Args:
        send: sends a batch.
        last: returns messages to add at the end of each batch.
        """
        self._send = send
        self._last = last
        self._messages: list[object] = []

    def put(self, message: object) -> None:
        """Send a message soon. Call it in the event loop's thread."""
        if not self._messages:
            asyncio.get_running_loop().call_later(COLLECT_S, self.flush)
        self._messages.append(message)

    def flush(self) -> None:
        """Send the collected messages now."""
        if self._messages:
            messages, self._messages = self._messages, []
            self._send([*messages, *self._last()])
