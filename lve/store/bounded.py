"""A connection of psycopg on which nobody waits without an end.

PostgreSQL's own time limits are the server's to keep. One that hangs, or sends without an end, is
left after `WAIT_S`, or `MAX_ANSWER_BYTES`; and another thread can end a wait at once.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import Generator
from contextlib import suppress
from typing import Any

import psycopg

WAIT_S = 40.0
"""Longer than the server's own limit, which says more."""
LONG_S = 0.3
"""A wait that is looked at closer."""
MAX_ANSWER_BYTES = 300_000_000
"""More than lve ever asks for. libpq keeps all of it before anybody can look."""
_UP_TO_RECEIVED = 136
"""Where `tcpi_bytes_received` ends in Linux's `struct tcp_info`."""


class GivenUpError(psycopg.OperationalError):  # type: ignore[misc]  # an extra
    """Nobody wants the answer any more."""


class BoundedConnection(psycopg.Connection[Any]):  # type: ignore[misc]  # an extra
    """Waits for an answer for `WAIT_S` at most, and only as long as somebody wants it."""

    given_up: threading.Event | None = None

    def wait(self, gen: Any, *args: Any, **named: Any) -> Any:
        """Wait as psycopg does, within the limits.

        Raises:
            psycopg.OperationalError: there was no answer in time.
        """
        return super().wait(self._within(gen), *args, **named)

    def _within(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Pass on what psycopg waits for; it looks in about every 0.1 s, ready or not."""
        began = time.monotonic()
        before: int | None = None
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                lasted_s = time.monotonic() - began
                if lasted_s > LONG_S:
                    received = _received(self.pgconn.socket)
                    before = received if before is None else before
                    self._check(lasted_s, received - before)
                if self.given_up is not None and self.given_up.is_set():
                    raise GivenUpError("given up")
                wanted = gen.send(ready)
        except StopIteration as ended:
            return ended.value

    def _check(self, lasted_s: float, received: int) -> None:
        if lasted_s > WAIT_S:
            raise psycopg.OperationalError("no answer in time")
        if received > MAX_ANSWER_BYTES:
            raise psycopg.DataError("too long an answer")


def _received(handle: int) -> int:
    """Return how many bytes a connection has got; 0 where the system doesn't say."""
    if sys.platform != "linux":
        return 0
    with suppress(OSError), socket.socket(fileno=os.dup(handle)) as one:
        known = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _UP_TO_RECEIVED)
        return int.from_bytes(known[_UP_TO_RECEIVED - 8 :], sys.byteorder)
    return 0
