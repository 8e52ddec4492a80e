"""A psycopg connection with limits on waiting, which don't depend on the server.

PostgreSQL enforces its timeouts in the server. A server that hangs is given up after `WAIT_S`, one
that sends endless data after `MAX_ANSWER_BYTES`; and another thread can end a wait at once. Values
are loaded by `lve.extensions.store.values`.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Generator
from contextlib import suppress
from functools import cache
from typing import Any

from lve.extensions.store.driver import Connection, ConnectionKind
from lve.extensions.store.values import own_context

WAIT_S = 40.0
"""Maximum wait for an answer; longer than the server's own timeout, whose message says more."""
CHECK_AFTER_S = 0.3
"""Only longer waits are checked."""
MAX_ANSWER_BYTES = 300_000_000
"""More than lve ever requests. libpq buffers the whole answer before it can be read."""
_RECEIVED_END = 136
"""End of `tcpi_bytes_received` in Linux's `struct tcp_info`."""
Waiting = Generator[object, object, object]
"""What psycopg runs until the server has answered."""
GIVEN_UP = "given up"
"""The message of the error if another thread ended the wait."""


@cache
def bounded_connection() -> ConnectionKind:
    """Return the subclass of `psycopg.Connection` that waits for at most `WAIT_S`, and only until
    its attribute `given_up` is set. psycopg is an extra, so nothing here imports it before."""
    import psycopg

    # Python prints warnings that no handler takes, and psycopg's repeat the server's words.
    logging.getLogger("psycopg").addHandler(logging.NullHandler())

    class BoundedConnection(psycopg.Connection[object]):  # type: ignore[misc]  # an extra
        given_up: threading.Event | None = None

        @classmethod
        def connect(cls, *args: object, **options: object) -> Any:
            return super().connect(*args, context=own_context(), **options)

        def wait(self, gen: Waiting, *args: object, **options: object) -> Any:
            return super().wait(_within_limits(gen, self), *args, **options)

    return BoundedConnection


def _within_limits(gen: Waiting, connection: Connection) -> Waiting:
    """Wrap psycopg's generator with the checks; psycopg resumes it about every 0.1 s, even if
    nothing is ready.

    Raises:
        psycopg.Error: there was no answer in time, or too long a one.
    """
    from psycopg import OperationalError

    began = time.monotonic()
    before: int | None = None
    try:
        event = next(gen)
        while True:
            ready = yield event
            lasted_s = time.monotonic() - began
            if lasted_s > CHECK_AFTER_S:
                received = _received(connection.pgconn.socket)
                before = received if before is None else before
                _check(lasted_s, received - before)
            if connection.given_up is not None and connection.given_up.is_set():
                raise OperationalError(GIVEN_UP)
            event = gen.send(ready)
    except StopIteration as ended:
        return ended.value


def _check(lasted_s: float, received: int) -> None:
    from psycopg import DataError, OperationalError

    if lasted_s > WAIT_S:
        raise OperationalError("no answer in time")
    if received > MAX_ANSWER_BYTES:
        raise DataError("too long an answer")


def _received(handle: int) -> int:
    """Return how many bytes a connection has received; 0 if the system doesn't tell."""
    if sys.platform != "linux":
        return 0
    with suppress(OSError), socket.socket(fileno=os.dup(handle)) as duplicate:
        info = duplicate.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED_END)
        return int.from_bytes(info[_RECEIVED_END - 8 :], sys.byteorder)
    return 0
