"""What lve uses of psycopg, an extra whose types may be missing: its objects, and its errors, some
of which are transient.
"""

from __future__ import annotations

import re
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


_TRANSIENT = ("08", "40", "57P01", "57P02", "57P03", "57014", "55P03", "53300", "25P03", "57P05")
"""Transient states, or their classes: a lost connection, a full or starting server, a conflict."""
_DESCRIPTIONS = {
    "TLS": "its TLS or its certificate isn't what the URL asks for (`sslmode`)",
    "URL": "an option in its URL has a value that libpq doesn't know",
    "25006": "it is read-only",
    "28": "it refuses the user or the password",
    "3D": "there is no such database",
    "42501": "the user lacks a right",
    "42": "its tables aren't lve's, or were changed",
    "53100": "its disk is full",
    "53200": "it is out of memory",
    "53300": "it has too many connections",
    "53": "it is out of resources",
    "54": "a limit of it is exceeded",
    "57014": "it took too long",
    "57P01": "it is shutting down",
    "57P03": "it is starting",
    "58": "its disk fails",
    "XX": "its data are damaged",
    "22": "it can't take a value: its encoding must be UTF8",
}
_CONNECTING = (
    (r"password authentication failed|no password supplied|authentication failed", "28"),
    (r'role ".*" does not exist|no pg_hba\.conf entry|not permitted to log in', "28"),
    (r'database ".*" does not exist', "3D"),
    (r"too many (clients|connections)|remaining connection slots", "53300"),
    (r"permission denied for database", "42501"),
    (r"certificate verify failed|(server|root|client) certificate|does not support SSL", "TLS"),
    (r"invalid \w+ value", "URL"),
)
"""Pattern in libpq's English message -> code, for errors while connecting, which have no state."""


def is_transient(error: Exception) -> bool:
    """Return whether a later attempt may succeed: the server can't be reached, or is busy."""
    from psycopg import InterfaceError, OperationalError

    if isinstance(error, InterfaceError):
        return True
    state = _state(error)
    if state is None:
        return isinstance(error, OperationalError)
    return state.startswith(_TRANSIENT)


def describe_error(error: Exception) -> str:
    """Return a description of the error on one line, without any of the server's words."""
    state = _state(error)
    if state is None:
        what = "it can't be reached" if is_transient(error) else "it answers what lve can't use"
        return f"{what} ({type(error).__name__})"
    text = _DESCRIPTIONS.get(state) or _DESCRIPTIONS.get(state[:2]) or "it says no"
    return f"{text} (SQLSTATE {state})" if len(state) == 5 else text


def _state(error: Exception) -> str | None:
    """Return the SQLSTATE or another key of `_DESCRIPTIONS`, None if it is unknown."""
    state = getattr(error, "sqlstate", None)
    if isinstance(state, str) and re.fullmatch(r"[0-9A-Z]{5}", state):
        return state
    message = str(error)[:2_000]
    return next((code for pattern, code in _CONNECTING if re.search(pattern, message)), None)
