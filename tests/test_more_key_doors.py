"""No part of a key comes out of the doors besides the command line (`test_key_doors.py`): Python,
tool servers, `lve view`, a team's store, a cluster."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from extensions.ray.cluster import LocalLauncher, cluster_of
from extensions.view.viewing import view_server
from support.command_line import call as call_here
from support.folders import workspace, write_test
from support.key_server import KEY, NAMES, answer, call, check, told, unpacked, written
from support.spelled_keys import SPELLINGS, parts, parts_in

from lve.sessions.session_folder import SessionFolder

SCRIPT = """
import lve

result = lve.run("t")
print(result)
for one in result.results:
    print(one.verdict, one.reason, repr(one))
lve.report(result, "r.html", "r.json", "r.csv")
try:
    lve.run("t", model="m", model_args={"a": 1}, base_url="http://127.0.0.1:1")
except lve.LveError as error:
    print(error, repr(error))
"""


def test_python(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    with written(tmp_path, answer):
        printed = call(tmp_path, "script")
    (tmp_path / "script.py").unlink()
    check(tmp_path, printed)


TOOL = """
from mcp.server import MCPServer

import sys
SAID = {said!r}
server = MCPServer("telling")

@server.tool(description="Tells. " + SAID[0])
def tell(number: int) -> str:
    "Tells."
    if number % 2:
        raise ValueError(SAID[number])
    return SAID[number]

print("no message: " + SAID[1], flush=True)
print("in the log: " + SAID[2], file=sys.stderr, flush=True)
server.run("stdio")
"""


def test_a_tool_server_that_says_the_key(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    said = [told(number, 100) for number in range(len(NAMES))]
    (tmp_path / "tool.py").write_text(TOOL.format(said=said))
    turns: list[Any] = [
        {"tool_calls": [{"name": "tell", "arguments": {"number": number}}]}
        for number in range(0, len(NAMES), 3)
    ]
    script = {"provider": "scripted", "options": {"answers": {"Tell": [*turns, "Done."]}}}
    servers = {"telling": {"command": [sys.executable, str(tmp_path / "tool.py")]}}
    known = {"base_url": "http://127.0.0.1:1", "model": "m", "api_key_env": "MY_MODEL"}
    settings = {"models": {"my/script": script, "m": known}, "tool_servers": servers}
    workspace(tmp_path, json.dumps(settings))
    write_test(
        tmp_path / "t",
        model="my/script",
        prompt=[{"content": "Tell"}],
        tool_servers=["telling"],
        checker_args=None,
        checks=[{"contains": "never"}],
    )
    printed = call(tmp_path, "lve", "run", "t", "--trust", "-v", "-o", "r.html")
    printed += call(tmp_path, "lve", "show", "last", "t", "--failures")
    (tmp_path / "tool.py").unlink()
    check(tmp_path, printed)


def test_the_page_that_lve_view_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what was written when the key was none of this machine's."""
    with written(tmp_path, answer):
        call(tmp_path, "lve", "run", "t")
    monkeypatch.setenv("MY_MODEL_KEY", KEY)
    windows = parts(KEY)
    (folder,) = (tmp_path / ".lve" / "runs").iterdir()
    file = folder / "results.jsonl"
    file.write_text(file.read_text().replace("[redacted]", SPELLINGS["hexadecimal"](KEY)))
    assert parts_in(file.read_text(), windows)
    with view_server([SessionFolder(folder)]) as client:
        client.ask()
        page = client.ask("state").json["sessions"][0]["version"].partition("-")[0]
        texts = f"texts/{page}/0/64"
        assert "[redacted]" in unpacked(client.ask(texts).body.decode())
        for path in ("", "state", "labels", texts, KEY):
            said = client.ask(path)
            assert not parts_in(unpacked(said.body.decode()) + said.head, windows), path


def test_a_store_of_a_team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    from extensions.store.postgres import running_server

    with running_server() as server, written(tmp_path, answer):
        monkeypatch.setenv("LVE_STORE", server.url)
        printed = call(tmp_path, "lve", "run", "t", "-v")
        printed += call(tmp_path, "lve", "sessions", "--push")
        printed += call(tmp_path, "lve", "show", "last", "t", "--failures")
        tables = [
            name
            for (name,) in server.do(
                "SELECT table_name FROM information_schema.tables WHERE table_name ~ '^lve'"
            )
        ]
        rows = [(name, row) for name in tables for row in server.do(f"SELECT * FROM {name}")]
    check(tmp_path, printed)
    assert rows
    windows = parts(KEY)
    for name, row in rows:
        text = "".join(one.decode("latin-1") if isinstance(one, bytes) else str(one) for one in row)
        assert not parts_in(text, windows), name


def test_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_MODEL", KEY)
    monkeypatch.chdir(tmp_path)
    with written(tmp_path, answer), cluster_of(LocalLauncher(2)) as launcher:
        _, out, err = call_here("run", "t", "--ray", "-v", "-o", "r.html", "-o", "r.csv")
    assert launcher.connections
    check(tmp_path, out + err)
