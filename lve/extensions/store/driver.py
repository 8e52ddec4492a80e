"""What lve uses of psycopg's objects: psycopg is an extra, so its types may be missing."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

Row = Sequence[Any]
"""A row as the server sent it. `lve.extensions.store.values.rows_of` checks its types."""


class Cursor(Protocol):
    """The rows of a statement."""

    def __iter__(self) -> Iterator[Row]: ...
    def fetchone(self) -> Row: ...
    def fetchmany(self, size: int, /) -> Sequence[Row]: ...


class Pipeline(Protocol):
    """Statements that are sent together."""

    def sync(self) -> None: ...


class Parameters(Protocol):
    """What was agreed on when the connection was made."""

    host: str

    def get_parameters(self) -> Mapping[str, str]: ...
    def parameter_status(self, name: str, /) -> str | None: ...


class Socket(Protocol):
    """libpq's side of a connection."""

    socket: int
    ssl_in_use: bool


class Connection(Protocol):
    """A `psycopg.Connection` that waits only for so long."""

    info: Parameters
    pgconn: Socket
    given_up: threading.Event | None
    """Ends all waits once it is set."""

    def execute(
        self, statement: str, values: object = None, /, *, binary: bool | None = None
    ) -> Cursor: ...
    def pipeline(self) -> AbstractContextManager[Pipeline]: ...
    def transaction(self) -> AbstractContextManager[object]: ...
    def close(self) -> None: ...


class ConnectionKind(Protocol):
    """The class of such connections."""

    def connect(self, url: str, **options: object) -> Connection: ...
