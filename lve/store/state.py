"""How a team's store is, for those who look: nothing is made or changed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

from lve.errors import SessionError
from lve.store.address import place_of
from lve.store.migrations import MIGRATIONS
from lve.store.server import connect, refusal

LOOK_S = 20.0
"""How long looking may take."""
MANY = 1_000_000
"""More completions aren't counted."""
MAX_MODELS = 100
_HERE = ("", "localhost", "127.0.0.1", "::1")
_COUNT = f"SELECT count(*) FROM (SELECT FROM lve_completions WHERE value IS NOT NULL LIMIT {MANY})"
_RIGHTS = """SELECT bool_and(has_table_privilege('lve_completions', one))
FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS one"""
_MODELS = f"""SELECT left(model, 200), count(*), sum(octet_length(value))::bigint, min(created)
FROM lve_completions WHERE value IS NOT NULL GROUP BY model ORDER BY 2 DESC LIMIT {MAX_MODELS}"""
_MENDING = "`lve explain store` says more"


class StoreState(NamedTuple):
    """What there is to say of a store."""

    version: int | None
    """Of its tables; None: there are none yet."""
    is_newer: bool
    """Whether its tables are of a newer lve."""
    is_encrypted: bool
    is_checked: bool
    """Whether TLS made sure that it is the server of that name."""
    is_here: bool
    """Whether it is on this machine."""
    completions: int = 0
    """`MANY`: so many or more."""
    may_write: bool = True


class StoredModel(NamedTuple):
    """What a store has of a model. The name may be anything."""

    model: str
    entries: int
    size_bytes: int
    oldest: float | None


def state_of(url: str) -> StoreState:
    """Return how a store is.

    Raises:
        SessionError: it can't be used, or not in `LOOK_S`.
        UsageError: as `check_url`.
    """
    with _looking(url) as connection:
        version = _version(connection)
        info = connection.info
        state = StoreState(
            version=version,
            is_newer=(version or 0) > len(MIGRATIONS),
            is_encrypted=bool(connection.pgconn.ssl_in_use),
            is_checked=info.get_parameters().get("sslmode") == "verify-full",
            is_here=info.host in _HERE or info.host.startswith("/"),
        )
        if version is None or state.is_newer:
            return state
        return state._replace(
            completions=_one(connection, _COUNT), may_write=bool(_one(connection, _RIGHTS))
        )


def models_in_store(url: str) -> list[StoredModel]:
    """Return what a store has of each model, at most `MAX_MODELS`, those with most first.

    Raises:
        SessionError, UsageError: as `state_of`.
    """
    with _looking(url) as connection:
        if _version(connection) is None:
            return []
        rows = connection.execute(_MODELS).fetchmany(MAX_MODELS)
        return [
            StoredModel(model[:200], count, size, _moment(at)) for model, count, size, at in rows
        ]


def _moment(seconds: float | None) -> float | None:
    """Return a time that a date can have."""
    try:
        return seconds if seconds is None or datetime.fromtimestamp(seconds) else None
    except (ValueError, OverflowError, OSError):
        return None


def _version(connection: Any) -> int | None:
    if _one(connection, "SELECT to_regclass('lve_store')") is None:
        return None
    return int(_one(connection, "SELECT max(version) FROM lve_store") or 0)


def _one(connection: Any, statement: str) -> Any:
    return connection.execute(statement).fetchone()[0]


@contextmanager
def _looking(url: str) -> Iterator[Any]:
    place = place_of(url)
    given_up = threading.Event()
    timer = threading.Timer(LOOK_S, given_up.set)
    timer.daemon = True
    timer.start()
    connection = None
    try:
        connection = connect(url, given_up)
        yield connection
    except SessionError:
        raise
    except Exception as error:  # rows may be anything
        raise refusal(place, error, _MENDING) from None
    finally:
        timer.cancel()
        if connection is not None:
            connection.close()
