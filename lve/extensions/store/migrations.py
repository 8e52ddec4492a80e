"""Creates the store's tables, and migrates older ones."""

from __future__ import annotations

from lve.errors import SessionError
from lve.extensions.store.driver import Connection

MIGRATIONS = (
    """CREATE TABLE lve_completions (
  key bytea PRIMARY KEY, model text NOT NULL, created double precision, value bytea,
  owner uuid, until timestamptz);
CREATE INDEX lve_claims ON lve_completions (owner) WHERE value IS NULL;""",
    """CREATE TABLE IF NOT EXISTS lve_sessions (
  id text PRIMARY KEY, machine text NOT NULL, updated timestamptz NOT NULL);
CREATE TABLE IF NOT EXISTS lve_session_files (
  session text REFERENCES lve_sessions ON DELETE CASCADE, name text,
  length bigint NOT NULL, sum bytea NOT NULL, PRIMARY KEY (session, name));
CREATE TABLE IF NOT EXISTS lve_session_pieces (
  session text, name text, at bigint, content bytea NOT NULL, PRIMARY KEY (session, name, at),
  FOREIGN KEY (session, name) REFERENCES lve_session_files ON DELETE CASCADE);""",
)
"""Entry N migrates the tables from version N to N + 1. Entries are only appended."""
_LOCK_ID = 0x6C7665
"""The advisory lock with which only one machine at a time migrates."""


def migrate(connection: Connection) -> None:
    """Migrate the tables to this version of lve.

    Raises:
        SessionError: the tables belong to a newer lve, or the user may not create tables.
        psycopg.Error: the server failed.
    """
    if _version(connection) == len(MIGRATIONS):
        return
    from psycopg.errors import InsufficientPrivilege, InvalidSchemaName

    try:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK_ID,))
            _make_tables(connection)
    except (InsufficientPrivilege, InvalidSchemaName):
        raise SessionError(
            "the store's user may not make its tables: have its owner run `GRANT CREATE, USAGE ON "
            "SCHEMA public TO ...` for this user, or connect once as a user who may, and `GRANT "
            "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ...`",
            code="store",
        ) from None


def _make_tables(connection: Connection) -> None:
    # `to_regclass` may report the state before the lock; IF NOT EXISTS doesn't.
    connection.execute("CREATE TABLE IF NOT EXISTS lve_store (version integer NOT NULL)")
    for statements in MIGRATIONS[_written_version(connection) :]:
        connection.execute(statements)
    connection.execute("DELETE FROM lve_store")
    connection.execute("INSERT INTO lve_store VALUES (%s)", (len(MIGRATIONS),))


def _version(connection: Connection) -> int | None:
    """Return the version of the tables, None if there are none. Needs no right to create tables."""
    if connection.execute("SELECT to_regclass('lve_store')").fetchone()[0] is None:
        return None
    return _written_version(connection)


def _written_version(connection: Connection) -> int:
    """Return the version in the table `lve_store`.

    Raises:
        SessionError: this lve doesn't know the version.
    """
    version = connection.execute("SELECT max(version) FROM lve_store").fetchone()[0] or 0
    if not isinstance(version, int) or not 0 <= version <= len(MIGRATIONS):
        raise SessionError(
            "the store in PostgreSQL was made by a newer lve: update lve here", code="store"
        )
    return version
