"""A connection to the server, which is made anew after it broke."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

from lve.errors import SessionError
from lve.store.address import place_of
from lve.store.errors import describe_error
from lve.store.migrations import migrate

CONNECT_S = 10
STATEMENT_S = 30


class StoreServer:
    """A team's server. Use it from one thread; only `give_up` may be called from any."""

    def __init__(self, url: str) -> None:
        """
        Args:
            url: as libpq has it, with its TLS options (`?sslmode=verify-full`).

        Raises:
            MissingExtraError: psycopg isn't installed.
            UsageError: it isn't such a URL.
        """
        self._url = url
        self.place = place_of(url)
        """The server as messages name it, without user and password."""
        self._connection: Any = None
        self._given_up = threading.Event()

    def connected(self) -> Any:
        """Return the connection (of psycopg, with autocommit); the tables are there.

        Raises:
            SessionError: the store is of a newer lve, or the user may not make its tables.
            psycopg.Error: see `is_transient`.
        """
        if self._connection is None:
            connection = connect(self._url, self._given_up)
            try:
                migrate(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def disconnect(self) -> None:
        """Close the connection; what comes next makes a new one."""
        if self._connection is not None:
            with suppress(Exception):
                self._connection.close()
            self._connection = None

    def give_up(self) -> None:
        """End what another thread waits for, within a moment, and let nothing begin."""
        self._given_up.set()

    def refusal(self, error: Exception, doing: str) -> SessionError:
        """Return the error that says why the store can't be used.

        Args:
            error: the last one.
            doing: what to do about it.
        """
        return refusal(self.place, error, doing)


def connect(url: str, given_up: threading.Event) -> Any:
    """Return a connection of psycopg, with autocommit, on which nobody waits without an end.

    Args:
        url: as libpq has it.
        given_up: once it is set, nobody wants an answer.

    Raises:
        psycopg.Error: see `is_transient`.
    """
    from lve.store.bounded import BoundedConnection, GivenUpError

    if given_up.is_set():
        raise GivenUpError("given up")
    connection = BoundedConnection.connect(
        url,
        autocommit=True,
        connect_timeout=CONNECT_S,
        tcp_user_timeout=STATEMENT_S * 1000,
        application_name="lve",
    )
    connection.given_up = given_up
    try:
        connection.execute(f"SET statement_timeout = '{STATEMENT_S}s'")
    except BaseException:
        connection.close()
        raise
    return connection


def refusal(place: str, error: Exception, doing: str) -> SessionError:
    """Return the error that says why a store can't be used, as `StoreServer.refusal`."""
    return SessionError(
        f"the store {place} can't be used: {describe_error(error)}. {doing}", code="store"
    )
