"""Tests with tools of servers from end to end: run, record, replay; programs that start only with
trust."""

from __future__ import annotations

import json
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from extensions.mcp.server import server_command
from support.command_line import call
from support.folders import workspace, write_test
from support.fork_workers import fork_workers
from support.forked import python

import lve
from lve.errors import UsageError


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return workspace(tmp_path)


MCP_TEST: dict[str, Any] = {
    "model": "my/script",
    "prompt": [{"content": "Weather?"}],
    "tool_servers": ["weather"],
    "checker_args": None,
    "checks": [{"called": "get_weather", "args": {"city": "Rome"}}, {"contains": "21"}],
}
SCRIPT = [{"tool_calls": [{"name": "get_weather", "arguments": {"city": "Rome"}}]}, "21 degrees."]


def mcp_settings(**server: Any) -> str:
    pytest.importorskip("mcp")
    command = server_command()
    script = {"provider": "scripted", "options": {"answers": {"Weather?": SCRIPT}}}
    servers = {"weather": {"command": command, **server}}
    return json.dumps({"models": {"my/script": script}, "tool_servers": servers})


def test_tools_of_a_server_are_called_recorded_and_replayed(root: Path) -> None:
    (root / "lve.yaml").write_text(mcp_settings())
    folder = write_test(root / "t", **MCP_TEST)
    assert call("check", "t")[0] == 0
    assert call("record", "t", "--to", "x", "--trust")[0] == 0
    (session,) = (root / ".lve" / "runs").iterdir()
    result = json.loads((session / "results.jsonl").read_text(encoding="utf-8"))
    assert result["transcripts"][0]["messages"][2]["content"] == "Rome: sunny, 21 degrees"
    (root / "lve.yaml").write_text(mcp_settings(command=["no-such-program"]))
    code, out, _ = call("run", "t", "--model", "replay", "--json")
    passed = json.loads(out)["summary"]["instances"]["passed"]
    assert (code, passed) == (0, 1), "no server is started"
    assert (folder / "instances" / "x.jsonl").is_file()


def test_a_server_that_can_not_be_started_stops_only_its_test(root: Path) -> None:
    (root / "lve.yaml").write_text(mcp_settings(command=["no-such-program"]))
    write_test(root / "t", **MCP_TEST)
    write_test(root / "u", check={"contains": "Hello"}, checker_args=None)
    code, out, told = call("run", ".", "--trust")
    assert code == 2
    assert "the tool server weather can't be used" in out + told
    assert "✓ u" in out


def test_a_test_can_not_have_a_tool_of_a_server(root: Path) -> None:
    (root / "lve.yaml").write_text(mcp_settings())
    write_test(root / "t", **MCP_TEST, tools=[{"name": "get_weather"}])
    _, out, told = call("run", "t", "--trust")
    assert "`get_weather` is a tool of the test and of the tool server weather" in out + told


def test_a_test_can_only_name_servers(root: Path) -> None:
    write_test(root / "t", **{**MCP_TEST, "tool_servers": [{"command": ["x"]}]})
    code, out, told = call("check", "t")
    assert (code, "tool_servers[0]" in out + told) == (2, True)
    write_test(root / "t", **MCP_TEST)
    code, out, told = call("run", "t", "--model", "dummy/dummy")
    assert (code, "skipped: t: the settings have no tool server" in out + told) == (5, True)


def skipped(root: Path) -> str:
    """Write a test whose tool server would write a file, and return why it is skipped."""
    script = {"provider": "scripted", "options": {"answers": {"Weather?": SCRIPT}}}
    command = [sys.executable, "-c", f"open({str(root / 'ran')!r}, 'w')"]
    settings = {"models": {"my/script": script}, "tool_servers": {"weather": {"command": command}}}
    (root / "lve.yaml").write_text(json.dumps(settings))
    write_test(root / "t", **MCP_TEST)
    return (
        "its tool server 'weather' is a program of the settings and is not trusted:"
        f" it would run `{shlex.join(command)}` with your rights; read it, then run again with"
        " --trust (pytest: --lve-trust) [untrusted]"
    )


@pytest.mark.parametrize("verb", [("run", "t"), ("record", "t"), ("run", ".", "-j", "4")])
def test_a_program_of_the_settings_starts_only_with_trust(root: Path, verb: list[str]) -> None:
    expected = skipped(root)
    code, out, told = call(*verb)
    assert (code, expected in out + told) == (5, True)
    assert not (root / "ran").exists()
    pytest.importorskip("mcp")
    assert call(*verb, "--trust")[0] == 2, "it ends at once"
    assert (root / "ran").exists()


def test_python_and_continued_sessions_start_no_program_by_themselves(root: Path) -> None:
    expected = skipped(root)
    assert lve.run("t").summary.skipped == {"t": expected}
    assert not (root / "ran").exists()
    pytest.importorskip("mcp")
    assert call("run", "t", "--trust")[0] == 2
    (root / "ran").unlink()
    for again in ("--resume", "--retry-errors", "--last-failed"):
        with suppress(UsageError):  # that it was trusted isn't remembered
            call("run", again)
        assert not (root / "ran").exists()


@pytest.mark.parametrize("more", [[], ["-n1"]])
def test_pytest_starts_a_program_of_the_settings_only_with_trust(
    pytester: pytest.Pytester, root: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    fork_workers(python, monkeypatch.setattr)
    skipped(root)
    result = pytester.runpytest(str(root / "t"), *more)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["lve: skipped t: its tool server 'weather' *--lve-trust*"])
    assert not (root / "ran").exists()
    pytest.importorskip("mcp")
    pytester.runpytest(str(root / "t"), "--lve-trust", *more).assert_outcomes(errors=1)
    assert (root / "ran").exists()
