"""The time limit of the requests of a connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class RequestTimer:
    """Calls back when the request in flight takes too long. One timer of the loop serves many
    requests, because nearly all end long before it rings: if it rings too early, it is set
    again."""

    __slots__ = ("_limit_at", "_loop", "_on_end", "_rings_at", "_timer", "ends_at", "limit_s")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Args:
        loop: the running loop.
        """
        self._loop = loop
        self._on_end: Callable[[], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = self._limit_at = 0.0
        self.ends_at = 0.0
        """When the latest request's time ends, by the loop's clock. The loop calls back only after
        all connections are read, which may be later."""
        self.limit_s = 0.0
        """The limit of the latest request in seconds."""

    def start(self, begun_at: float, limit_s: float, on_end: Callable[[], None]) -> None:
        """Begin the time of a request.

        Args:
            begun_at: when it began, by the loop's clock.
            limit_s: how long it may take, in seconds.
            on_end: called at the end of its time, also if it has been answered.
        """
        self.limit_s = limit_s
        self._on_end = on_end
        self._limit_at = begun_at + limit_s
        self._end_at(self._limit_at)

    def wait(self, seconds: float) -> None:
        """Let the time of a request end in some seconds, unless it ends before; may be called again
        with more."""
        self._end_at(min(self._limit_at, self._loop.time() + seconds))

    def stop(self) -> None:
        """Don't call back any more, and forget who would be called."""
        self._on_end = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end_at(self, ends_at: float) -> None:
        self.ends_at = ends_at
        if self._timer is None or ends_at < self._rings_at:
            self._set()

    def _set(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._rings_at = self.ends_at
        self._timer = self._loop.call_at(self.ends_at, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self.ends_at > self._rings_at:
            self._set()
        elif self._on_end is not None:
            self._on_end()
