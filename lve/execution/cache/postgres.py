"""Reads, claims and writes the completions of a team in PostgreSQL, synchronously.

`shared.py` makes it concurrent. What the claims guarantee: of all machines that want an answer that
nobody has, one gets the claim and asks; the others wait for its answer. A claim is a row without a
value. It ends with the answer, when its owner gives it up, or when the owner hasn't renewed it for
`LEASE_S`. A server that was down gives all owners a whole lease to come back. All times are the
server's. Every statement may be sent again after a broken connection: nothing is doubled.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from lve.errors import MissingExtraError, SessionError, UsageError
from lve.execution.cache.value import Stored

LEASE_S = 60.0
CONNECT_S = 10
STATEMENT_S = 30
MAX_VALUE_BYTES = 16_000_000
"""Largest completion that is shared."""
SCHEMES = ("postgresql://", "postgres://")
MIGRATIONS = (
    """CREATE TABLE lve_completions (
  key bytea PRIMARY KEY, model text NOT NULL, created double precision, value bytea,
  owner uuid, until timestamptz);
CREATE INDEX lve_claims ON lve_completions (owner) WHERE value IS NULL;""",
)
"""What brings the tables from version N to N + 1. Entries are only added."""
_MIGRATING = 0x6C7665
"""The advisory lock: one machine at a time makes tables."""
_CLAIM = """
INSERT INTO lve_completions AS c (key, model, owner, until)
SELECT k, '', %(owner)s, clock_timestamp() + %(lease)s
FROM unnest(%(keys)s::bytea[]) AS k
WHERE NOT EXISTS (SELECT FROM lve_completions s WHERE s.key = k
  AND (s.value IS NOT NULL OR s.owner <> %(owner)s AND s.until > clock_timestamp()))
ORDER BY k
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until
WHERE c.value IS NULL AND (c.owner = excluded.owner OR (c.until < clock_timestamp()
  AND pg_postmaster_start_time() < clock_timestamp() - %(lease)s))
RETURNING key"""
_READ = """
SELECT key, CASE WHEN octet_length(value) <= %s THEN value END
FROM lve_completions WHERE key = ANY(%s) AND value IS NOT NULL"""
_WRITE = """
INSERT INTO lve_completions (key, model, created, value)
SELECT * FROM unnest(%s::bytea[], %s::text[], %s::float8[], %s::bytea[]) AS r(k, m, c, v) ORDER BY k
ON CONFLICT (key) DO UPDATE SET model = excluded.model, created = excluded.created,
  value = excluded.value, owner = NULL, until = NULL"""
_RELEASE = """
DELETE FROM lve_completions WHERE key IN (SELECT key FROM lve_completions
  WHERE key = ANY(%s) AND owner = %s AND value IS NULL ORDER BY key FOR UPDATE)"""
_RENEW = """
UPDATE lve_completions SET until = clock_timestamp() + %s WHERE key IN
  (SELECT key FROM lve_completions WHERE owner = %s AND value IS NULL ORDER BY key FOR UPDATE)"""


@dataclass(slots=True)
class Turn:
    """What one turn of the loop wants of the server."""

    keys: list[bytes] = field(default_factory=list)
    """To look up, or to claim where there is no answer."""
    rows: list[Stored] = field(default_factory=list)
    released: list[bytes] = field(default_factory=list)
    """Claims to give up."""


@dataclass(slots=True)
class Found:
    """What the server said. Its rows may be forged: nothing of it is checked here."""

    claimed: set[Any]
    values: dict[Any, Any]


class PostgresStore:
    """A connection to the server, which is made anew after it broke. Use from one thread."""

    def __init__(self, url: str, *, lease_s: float = LEASE_S) -> None:
        """
        Args:
            url: as libpq has it, with its TLS options (`?sslmode=verify-full`).
            lease_s: how long a claim lasts without its owner.

        Raises:
            MissingExtraError: psycopg isn't installed.
            UsageError: it isn't such a URL. The message doesn't repeat it: it may hold a password.
        """
        self._psycopg = _psycopg()
        self._url = url
        self.place = _place_of(url)
        """The server as messages name it, without user and password."""
        self.owner = uuid.uuid4()
        self.lease_s = lease_s
        self._connection: Any = None

    def turn(self, wanted: Turn) -> Found:
        """Do all that a turn of the loop wants, in one round trip.

        Raises:
            psycopg.Error: it couldn't be done; it may be tried again.
        """
        connection = self._connected()
        claims = reads = None
        with connection.pipeline() as pipeline:
            # Each step is a transaction of its own: together they could lock each other out.
            if wanted.rows:
                columns = zip(*sorted({row[0]: row for row in wanted.rows}.values()), strict=True)
                connection.execute(_WRITE, [list(column) for column in columns])
                pipeline.sync()
            if wanted.released:
                connection.execute(_RELEASE, (wanted.released, self.owner))
                pipeline.sync()
            if wanted.keys:
                claims = connection.execute(_CLAIM, self._claim_of(wanted.keys), binary=True)
                pipeline.sync()
                reads = connection.execute(_READ, (MAX_VALUE_BYTES, wanted.keys), binary=True)
        return Found({row[0] for row in claims} if claims else set(), dict(reads) if reads else {})

    def renew(self) -> None:
        """Keep all claims for another lease."""
        self._connected().execute(_RENEW, (self._lease, self.owner))

    def disconnect(self) -> None:
        """Close the connection; what comes next makes a new one."""
        if self._connection is not None:
            with suppress(self._psycopg.Error):
                self._connection.close()
            self._connection = None

    def reason(self, error: Exception) -> str:
        """Return an error in one line, without what may be secret in it."""
        state = getattr(error, "sqlstate", None)
        # libpq's texts repeat the URL, and a server's whatever it likes.
        return f"{type(error).__name__}{f' {state}' if state else ''}"

    @property
    def _lease(self) -> Any:
        from datetime import timedelta

        return timedelta(seconds=self.lease_s)

    def _claim_of(self, keys: Sequence[bytes]) -> dict[str, Any]:
        return {"owner": self.owner, "lease": self._lease, "keys": list(keys)}

    def _connected(self) -> Any:
        if self._connection is None:
            connection = self._psycopg.connect(
                self._url,
                autocommit=True,
                connect_timeout=CONNECT_S,
                tcp_user_timeout=STATEMENT_S * 1000,
                application_name="lve",
            )
            try:
                connection.execute(f"SET statement_timeout = '{STATEMENT_S}s'")
                _migrate(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtraError(
            "a store in PostgreSQL needs psycopg: pip install 'lve[postgres]'"
        ) from error
    return psycopg


def _place_of(url: str) -> str:
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        if not url.startswith(SCHEMES):
            raise ProgrammingError
        parts: dict[str, Any] = conninfo_to_dict(url)
    except ProgrammingError:
        # Without a cause: libpq's own message repeats the URL.
        raise UsageError(
            "LVE_STORE is no URL of a PostgreSQL server: write "
            "postgresql://user@host:5432/database, with %-escapes in user and password",
            code="cache",
        ) from None
    return f"{parts.get('host') or 'localhost'}/{parts.get('dbname') or ''}"


def _migrate(connection: Any) -> None:
    """Bring the tables to this version of lve."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
        connection.execute("CREATE TABLE IF NOT EXISTS lve_store (version integer NOT NULL)")
        row = connection.execute("SELECT max(version) FROM lve_store").fetchone()
        version = row[0] or 0
        if not isinstance(version, int) or not 0 <= version <= len(MIGRATIONS):
            raise SessionError(
                "the store in PostgreSQL was made by a newer lve: update lve here", code="cache"
            )
        _apply(connection, MIGRATIONS[version:])
        if version < len(MIGRATIONS):
            connection.execute("DELETE FROM lve_store")
            connection.execute("INSERT INTO lve_store VALUES (%s)", (len(MIGRATIONS),))


def _apply(connection: Any, migrations: Iterable[str]) -> None:
    for statements in migrations:
        connection.execute(statements)
