"""Why a server of PostgreSQL didn't do something: whether to wait for it, and in which words.

Nothing that the server or libpq wrote is repeated: it may hold the URL, or whatever a hostile
server likes. Codes are SQLSTATE's: https://www.postgresql.org/docs/current/errcodes-appendix.html
"""

from __future__ import annotations

import re

_WAITING = ("08", "40", "57P01", "57P02", "57P03", "57014", "55P03", "53300", "25P03", "57P05")
"""States, or their classes, that pass: a broken or full server, one that starts, a collision."""
_WORDS = {
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
    (r"permission denied for database", "42501"),
    (r"certificate verify failed|(server|root|client) certificate|does not support SSL", "TLS"),
    (r"invalid \w+ value", "URL"),
)
"""libpq has no state for what happens while it connects; these are its words, in English."""


def is_transient(error: Exception) -> bool:
    """Whether waiting may help: the server can't be reached, or is busy."""
    from psycopg import InterfaceError, OperationalError

    if isinstance(error, InterfaceError):
        return True
    state = _state(error)
    if state is None:
        return isinstance(error, OperationalError)
    return state.startswith(_WAITING)


def describe_error(error: Exception) -> str:
    """Return why, in one line of our own words."""
    state = _state(error)
    if state is None:
        what = "it can't be reached" if is_transient(error) else "it answers what lve can't use"
        return f"{what} ({type(error).__name__})"
    words = _WORDS.get(state) or _WORDS.get(state[:2]) or "it says no"
    return f"{words} (SQLSTATE {state})" if len(state) == 5 else words


def _state(error: Exception) -> str | None:
    state = getattr(error, "sqlstate", None)
    if isinstance(state, str) and re.fullmatch(r"[0-9A-Z]{5}", state):
        return state
    said = str(error)[:2_000]
    return next((code for words, code in _CONNECTING if re.search(words, said)), None)
