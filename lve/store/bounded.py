"""A connection of psycopg on which nobody waits without an end.

PostgreSQL's own time limits are the server's to keep. One that hangs, or sends without an end, is
left after `WAIT_S`; and another thread can end a wait at once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from typing import Any

import psycopg

WAIT_S = 40.0
"""Longer than the server's own limit, which says more."""


class GivenUpError(psycopg.OperationalError):
    """Nobody wants the answer any more."""


class BoundedConnection(psycopg.Connection[Any]):
    """Waits for an answer for `WAIT_S` at most, and only as long as somebody wants it."""

    given_up: threading.Event | None = None

    def wait(self, gen: Any, *args: Any, **named: Any) -> Any:
        """Wait as psycopg does, within the limits.

        Raises:
            psycopg.OperationalError: there was no answer in time.
        """
        return super().wait(_within(gen, time.monotonic() + WAIT_S, self.given_up), *args, **named)


def _within(
    gen: Generator[Any, Any, Any], end: float, given_up: threading.Event | None
) -> Generator[Any, Any, Any]:
    """Pass on what psycopg waits for; it looks in about every 0.1 s, ready or not."""
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if given_up is not None and given_up.is_set():
                raise GivenUpError("given up")
            if time.monotonic() > end:
                raise psycopg.OperationalError("no answer in time")
            wanted = gen.send(ready)
    except StopIteration as ended:
        return ended.value
