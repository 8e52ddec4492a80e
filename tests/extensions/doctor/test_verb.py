"""`lve doctor`, through its command, against real servers and a real workspace."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from extensions.doctor.doctor import findings
from support.caches import key_of
from support.command_line import call
from support.folders import workspace, write_test
from support.server import model_server

from lve.errors import UsageError
from lve.execution.cache.sqlite import CacheStore
from lve.extensions.doctor.verb import MARKS, MAX_MODELS

KEY = "sk-0123456789abcdefghijklmnop"


def test_an_empty_folder_is_well_and_said_to_have_no_settings(root: Path) -> None:
    code, found = findings()
    assert code == 0
    assert found["settings", "file"]["status"] == "note"
    assert "lve init" in found["settings", "file"]["hint"]
    assert found["settings", "model"]["status"] == "note"
    assert found["Python", "click"]["status"] == "good"
    assert found["sessions and cache", "cache"]["text"] == "none yet"
    assert ("sandbox", "landlock") in found


def test_a_wrong_setting_is_bad_with_its_place(root: Path) -> None:
    (root / "lve.yaml").write_text("modle: x\nmodel: 3\n")
    code, found = findings()
    assert code == 2
    assert (
        "lve.yaml:1:1" in found["settings", "lve.yaml"]["text"]
        or "lve.yaml:2" in (found["settings", "lve.yaml"]["text"])
    )


def test_a_missing_key_is_bad(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    workspace(root, "model: openai/gpt-6-luna")
    code, found = findings()
    assert code == 2
    assert "OPENAI_API_KEY=KEY in the environment" in found["openai/gpt-6-luna", "model"]["text"]


def test_what_fails_comes_first_and_what_is_fine_is_counted(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    workspace(root, "model: openai/gpt-6-luna")
    found = findings("--offline")[1].values()
    code, out, _ = call("doctor", "--offline")
    lines = out.splitlines()
    count = {status: sum(one["status"] == status for one in found) for status in MARKS}
    marks = [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]
    bad, note = MARKS["bad"], MARKS["note"]
    assert (code, marks) == (2, [bad] * count["bad"] + [note] * count["note"])
    assert lines[0] == "openai/gpt-6-luna"
    assert lines[-1] == f"{count['good']} checks are fine (`lve doctor -v` shows all)"
    everything = call("doctor", "--offline", "-v")[1].splitlines()
    assert sum(line.startswith(f"  {MARKS['good']} ") for line in everything) == count["good"]
    assert "checks are fine" not in everything[-1]


def test_offline_sends_nothing(root: Path) -> None:
    with model_server("ok") as server:
        code, found = findings("-m", "openai/m", "--base-url", server.url, "--offline")
        assert (code, server.requests) == (0, [])
    assert ("openai/m", "server") not in found
    with pytest.raises(UsageError, match="exclude each other"):
        call("doctor", "--offline", "--ask")


def test_damaged_sessions_and_caches_are_named(root: Path) -> None:
    workspace(root)
    write_test(root / "t", instances=[{"args": {}}])
    with model_server("Hello!") as server:
        call("run", "t", "-m", "openai/m", "--base-url", server.url)
    _, found = findings()
    assert found["sessions and cache", "sessions"]["text"] == "1 (1 complete)"
    assert found["sessions and cache", "cache"]["text"].startswith("1 completion, ")
    (session,) = (root / ".lve" / "runs").iterdir()
    (session / "session.json").write_text("{")
    (root / ".lve" / "cache.db").write_bytes(b"no database" * 1000)
    for more in ("-wal", "-shm"):
        (root / ".lve" / f"cache.db{more}").unlink(missing_ok=True)
    was = (root / ".lve" / "cache.db").read_bytes()
    code, found = findings()
    assert (root / ".lve" / "cache.db").read_bytes() == was, "it is only looked at"
    assert found["sessions and cache", session.name]["status"] == "note"
    assert (code, found["sessions and cache", "cache"]["status"]) == (2, "bad")
    assert "delete .lve/cache.db" in found["sessions and cache", "cache"]["hint"]


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_a_cache_that_may_not_be_used_is_said_in_words(root: Path) -> None:
    workspace(root)
    (root / ".lve").mkdir(mode=0o700)
    (root / ".lve" / "cache.db").symlink_to("/etc/passwd")
    code, found = findings("--offline")
    said = "can't be used: a link, and what is behind it may be anybody's"
    assert (code, found["sessions and cache", "cache"]["status"]) == (2, "bad")
    assert found["sessions and cache", "cache"]["text"] == f".lve/cache.db {said}"


def _break_index(path: Path) -> None:
    """Overwrite a leaf of an index of an SQLite file, which counting the entries doesn't read."""
    content = bytearray(path.read_bytes())
    size = int.from_bytes(content[16:18], "big")
    leaf = [n for n in range(size, len(content), size) if content[n] == 0x0A][-1]
    content[leaf : leaf + size] = b"\xff" * size
    path.write_bytes(content)


def test_a_cache_that_is_damaged_in_the_middle_is_bad(root: Path) -> None:
    workspace(root)
    (root / ".lve").mkdir(mode=0o700)
    store = CacheStore(root / ".lve" / "cache.db")
    store.write([(bytes.fromhex(key_of(n)), "m", 1.0, "x" * 500) for n in range(500)])
    store.close()
    assert findings("--offline")[1]["sessions and cache", "cache"]["status"] == "good"
    _break_index(root / ".lve" / "cache.db")
    code, found = findings("--offline")
    assert (code, found["sessions and cache", "cache"]["status"]) == (2, "bad")
    assert "damaged" in found["sessions and cache", "cache"]["text"]


def test_names_cant_write_to_the_terminal(root: Path) -> None:
    out = call("doctor", "-m", "openai/\x1b[31mred", "--base-url", "http://127.0.0.1:9/v1")[1]
    assert "\x1b" not in out


def test_a_hundred_roles_are_not_all_looked_at(root: Path) -> None:
    roles = {f"r{number}": f"openai/m{number}" for number in range(100)}
    workspace(root, json.dumps({"roles": roles}))
    _, found = findings("--offline")
    models = {area for area, _ in found if area.startswith("openai/")}
    assert len(models) == MAX_MODELS
    assert f"{100 - MAX_MODELS} more" in found["settings", "models"]["text"]
