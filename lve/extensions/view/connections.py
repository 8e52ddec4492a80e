"""The open connections of the server: how many there may be, and which one has to go.

Every program of this machine can connect, and may send nothing, or one byte a second. All come from
the same address, so nothing tells them from the user's browser but how long their requests take to
arrive. So a new connection is always taken, in place of the one whose request has been arriving for
the longest time.
"""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress

MAX_ARRIVING = 32
"""Connections whose requests are arriving."""
MAX_OPEN = 128
"""All connections, each with a thread, also those that are being answered or closed."""
REQUEST_S = 5.0
"""Seconds that a request may take to arrive. That of a browser takes milliseconds."""


class Connections:
    """Keeps count of connections, and closes those that must go."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._arriving: dict[socket.socket, float] = {}
        """Connection -> when it was taken. The oldest is the first."""
        self._open = 0

    def take(self, connection: socket.socket) -> bool:
        """Count a new connection; return False if there is no room for it."""
        with self._lock:
            if self._open >= MAX_OPEN:
                return False
            self._open += 1
            if len(self._arriving) >= MAX_ARRIVING:
                self._hang_up(next(iter(self._arriving)))
            self._arriving[connection] = time.monotonic()
            return True

    def arrived(self, connection: socket.socket) -> None:
        """Note that a connection's request has arrived."""
        with self._lock:
            self._arriving.pop(connection, None)

    def closed(self, connection: socket.socket) -> None:
        """Note that a connection was closed."""
        with self._lock:
            self._arriving.pop(connection, None)
            self._open -= 1

    def close_late_ones(self) -> None:
        """Close the connections whose requests have been arriving for too long."""
        with self._lock:
            late = time.monotonic() - REQUEST_S
            for connection in [
                open_connection for open_connection, began in self._arriving.items() if began < late
            ]:
                self._hang_up(connection)

    def _hang_up(self, connection: socket.socket) -> None:
        """End a connection; its thread then closes it."""
        del self._arriving[connection]
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
