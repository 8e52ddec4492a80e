"""The connection to a team's store, which is opened again after it broke."""

from __future__ import annotations

import threading
from contextlib import suppress

from lve.errors import SessionError
from lve.extensions.store.address import place_of
from lve.extensions.store.driver import Connection, describe_error
from lve.extensions.store.migrations import migrate

CONNECT_S = 10
STATEMENT_S = 30


class StoreServer:
    """A team's PostgreSQL server. Not thread-safe, except for `give_up`."""

    def __init__(self, url: str) -> None:
        """
        Args:
            url: in libpq's format, with its TLS options (`?sslmode=verify-full`).

        Raises:
            MissingExtraError: psycopg isn't installed.
            UsageError: it isn't the URL of a PostgreSQL server.
        """
        self._url = url
        self.place = place_of(url)
        """`HOST/DATABASE` for messages, without user and password."""
        self._connection: Connection | None = None
        self._given_up = threading.Event()

    def connected(self) -> Connection:
        """Return the psycopg connection (with autocommit); connects and migrates if needed.

        Raises:
            SessionError: the tables belong to a newer lve, or the user may not create them.
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
        """Close the connection; `connected` opens a new one."""
        if self._connection is not None:
            with suppress(Exception):
                self._connection.close()
            self._connection = None

    def give_up(self) -> None:
        """End the wait of another thread at once, and refuse further requests."""
        self._given_up.set()

    def refusal(self, error: Exception, doing: str) -> SessionError:
        """Return the error for a store that can't be used.

        Args:
            error: the cause.
            doing: what the user can do about it.
        """
        return refusal(self.place, error, doing)


def connect(url: str, given_up: threading.Event) -> Connection:
    """Return a psycopg connection with autocommit and limits on waiting.

    Args:
        url: in libpq's format.
        given_up: ends all waits once it is set.

    Raises:
        psycopg.Error: see `is_transient`.
    """
    from psycopg import OperationalError

    from lve.extensions.store.bounded import GIVEN_UP, bounded_connection

    if given_up.is_set():
        raise OperationalError(GIVEN_UP)
    connection = bounded_connection().connect(
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
    """Return the error for a store that can't be used; see `StoreServer.refusal`."""
    return SessionError(
        f"the store {place} can't be used: {describe_error(error)}. {doing}", code="store"
    )
