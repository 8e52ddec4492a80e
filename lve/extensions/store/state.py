"""Reads a team's store for `lve doctor` and `lve session cache stats`, whose output this is;
changes nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import UnionType
from typing import Any

from lve.cli.printing import View
from lve.errors import SessionError
from lve.escape import head, one_line
from lve.extensions.store.address import place_of
from lve.extensions.store.driver import Connection
from lve.extensions.store.migrations import MIGRATIONS
from lve.extensions.store.server import connect, refusal
from lve.extensions.store.values import rows_of
from lve.named_tuples import NamedTuple
from lve.plurals import amount

TIME_LIMIT_S = 20.0
"""Time limit in seconds for reading the state."""
MAX_COUNTED = 1_000_000
"""Counting completions stops here."""
MAX_MODELS = 100
_LOCAL_HOSTS = ("", "localhost", "127.0.0.1", "::1")
_COUNT = f"""SELECT count(*)
FROM (SELECT FROM lve_completions WHERE value IS NOT NULL LIMIT {MAX_COUNTED})"""
_RIGHTS = """SELECT bool_and(has_table_privilege('lve_completions', one))
FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS one"""
_MODELS = f"""SELECT left(model, 200), count(*), sum(octet_length(value))::bigint, min(created)
FROM lve_completions WHERE value IS NOT NULL GROUP BY model ORDER BY 2 DESC LIMIT {MAX_MODELS}"""
_HINT = "`lve explain store` says more"


class StoreState(NamedTuple):
    """The state of a store."""

    version: int | None
    """Version of the tables; None: there are none yet."""
    is_newer: bool
    """Whether the tables belong to a newer lve."""
    is_encrypted: bool
    is_verified: bool
    """Whether TLS has verified the server's certificate and name."""
    is_local: bool
    """Whether the server is on this machine."""
    is_superuser: bool
    """Whether the user may do everything on the server."""
    completions: int = 0
    """Number of completions; `MAX_COUNTED` means that many or more."""
    may_write: bool = True

    @property
    def has_more(self) -> bool:
        """Whether there may be more completions than were counted."""
        return self.completions >= MAX_COUNTED


class StoredModel(NamedTuple):
    """What a store has of a model, whose name isn't trusted."""

    model: str
    entries: int
    size_bytes: int
    oldest: float | None


def state_of(url: str) -> StoreState:
    """Return the state of a store.

    Raises:
        SessionError: the store can't be used, or took longer than `TIME_LIMIT_S`.
        UsageError: as `check_url`.
    """
    with _connection(url) as connection:
        version = _version(connection)
        info = connection.info
        state = StoreState(
            version=version,
            is_newer=(version or 0) > len(MIGRATIONS),
            is_encrypted=bool(connection.pgconn.ssl_in_use),
            is_verified=info.get_parameters().get("sslmode") == "verify-full",
            is_local=info.host in _LOCAL_HOSTS or info.host.startswith("/"),
            is_superuser=info.parameter_status("is_superuser") == "on",
        )
        if version is None or state.is_newer:
            return state
        return state._replace(
            completions=_one(connection, _COUNT, int), may_write=_one(connection, _RIGHTS, bool)
        )


def models_in_store(url: str) -> list[StoredModel]:
    """Return what a store has of each model, at most `MAX_MODELS`, those with most entries first.

    Raises:
        SessionError, UsageError: as `state_of`.
    """
    with _connection(url) as connection:
        if _version(connection) is None:
            return []
        rows = connection.execute(_MODELS).fetchmany(MAX_MODELS)
        return [
            StoredModel(head(model, 200), count, size, _moment(at))
            for model, count, size, at in rows_of(rows, str, int, int, float | None)
        ]


def _moment(seconds: float | None) -> float | None:
    """Return a Unix time if it is a valid date, else None."""
    try:
        return seconds if seconds is None or datetime.fromtimestamp(seconds) else None
    except (ValueError, OverflowError, OSError):
        return None


def _version(connection: Connection) -> int | None:
    if not _one(connection, "SELECT to_regclass('lve_store') IS NOT NULL", bool):
        return None
    return _one(connection, "SELECT max(version) FROM lve_store", int | None) or 0


def _one(connection: Connection, statement: str, kind: type | UnionType) -> Any:
    """Return the only value of a statement's only row."""
    ((value,),) = rows_of(connection.execute(statement), kind)
    return value


@contextmanager
def _connection(url: str) -> Iterator[Connection]:
    """Yield a connection that is given up after `TIME_LIMIT_S`."""
    place = place_of(url)
    given_up = threading.Event()
    timer = threading.Timer(TIME_LIMIT_S, given_up.set)
    timer.daemon = True
    timer.start()
    connection = None
    try:
        connection = connect(url, given_up)
        yield connection
    except SessionError:
        raise
    except Exception as error:  # rows of a hostile server may be anything
        raise refusal(place, error, _HINT) from None
    finally:
        timer.cancel()
        if connection is not None:
            connection.close()


def store_stats(url: str) -> View:
    """Return the number of completions of each model in a store.

    Raises:
        SessionError: the store can't be used.
    """
    place, models = place_of(url), models_in_store(url)
    return View(lambda: _as_json(place, models), _lines(place, models))


def _lines(place: str, models: list[StoredModel]) -> Iterator[str]:
    yield f"the team's store {place}: {_megabytes(sum(model.size_bytes for model in models))}"
    yield amount(sum(model.entries for model in models), "completion")
    oldest = _oldest(models)
    if oldest is not None:
        yield f"the oldest is of {datetime.fromtimestamp(oldest):%Y-%m-%d %H:%M}"
    for model in models:
        name = one_line(model.model) or "(no name)"
        yield f"  {name}: {amount(model.entries, 'completion')}, {_megabytes(model.size_bytes)}"


def _as_json(place: str, models: list[StoredModel]) -> dict[str, object]:
    oldest = _oldest(models)
    return {
        "store": place,
        "entries": sum(model.entries for model in models),
        "oldest": oldest and datetime.fromtimestamp(oldest, UTC).isoformat(),
        "models": [
            {"model": model.model, "entries": model.entries, "size_bytes": model.size_bytes}
            for model in models
        ],
    }


def _oldest(models: list[StoredModel]) -> float | None:
    return min((model.oldest for model in models if model.oldest is not None), default=None)


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
