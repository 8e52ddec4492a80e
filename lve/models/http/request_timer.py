"""The time limit of the requests of a connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class RequestTimer:
    """Calls back when the request in flight takes too long. One timer of the loop serves many
    requests, because nearly all end long before it rings: if it rings too early, it is set
    again."""

    __slots__ = ("_ends", "_loop", "_on_end", "_rings_at", "_timer", "limit_s")

    def __init__(self, loop: asyncio.AbstractEventLoop, on_end: Callable[[], None]) -> None:
        """Args:
        loop: the running loop.
        on_end: called at the end of the latest request's time, also if it has been answered.
        """
        self._loop = loop
        self._on_end = on_end
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = 0.0
        self._ends = 0.0
        self.limit_s = 0.0
        """The limit of the latest request in seconds."""

    def start(self, limit_s: float, spent_s: float) -> None:
        """Begin the time of a request, of which a part has passed already."""
        self.limit_s = limit_s
        self._ends = self._loop.time() + max(0.0, limit_s - spent_s)
        if self._timer is None or self._ends < self._rings_at:
            self._set()

    def is_over(self) -> bool:
        """Return whether the time has ended. The loop calls back only after all connections are
        read."""
        return self._loop.time() >= self._ends

    def stop(self) -> None:
        """Don't call back any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set(self) -> None:
        self.stop()
        self._rings_at = self._ends
        self._timer = self._loop.call_at(self._ends, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._ends > self._rings_at:
            self._set()
        else:
            self._on_end()
