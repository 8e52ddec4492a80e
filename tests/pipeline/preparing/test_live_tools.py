"""Tools that are code, from end to end: only with trust, through every door."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test
from support.fork_workers import fork_workers
from support.forked import python

import lve
from lve.execution.tools.tool_code import ToolProcess
from lve.sandbox.layers import missing

CODE = """\
from pathlib import Path
try:
    Path("ran").touch()  # outside of the sandbox
except PermissionError:
    pass

def get_weather(city):
    return {"city": city, "celsius": 21}
"""
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOL = {"name": "get-weather", "parameters": PARAMETERS, "code": "tools/weather.py"}
TEST: dict[str, Any] = {
    "model": "my/script",
    "prompt": [{"content": "Weather?"}],
    "tools": [TOOL],
    "checker_args": None,
    "checks": [{"called": "get-weather"}, {"contains": "21"}],
}
SCRIPT = [{"tool_calls": [{"name": "get-weather", "arguments": {"city": "Rome"}}]}, "21 degrees."]
NOT_TRUSTED = (
    "its tool 'get-weather' is Python code and is not trusted: read t/tools/weather.py,"
    " then add --trust, as in: lve run t --trust (pytest: --lve-trust)"
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    root = workspace(tmp_path)
    settings(root)
    write(root)
    return root


def settings(root: Path, **more: Any) -> None:
    script = {"provider": "scripted", "options": {"answers": {"Weather?": SCRIPT}}}
    (root / "lve.yaml").write_text(json.dumps({"models": {"my/script": script}, **more}))


def write(root: Path, code: str = CODE, **more: Any) -> Path:
    folder = write_test(root / "t", **{**TEST, **more})
    (folder / "tools").mkdir(exist_ok=True)
    (folder / "tools" / "weather.py").write_text(code)
    return folder


def results(root: Path) -> list[str]:
    """Return the results of tools in the latest session."""
    session = sorted((root / ".lve" / "runs").iterdir())[-1]
    (line,) = (session / "results.jsonl").read_text(encoding="utf-8").splitlines()
    messages = json.loads(line)["transcripts"][0]["messages"]
    return [message["content"] for message in messages if message["role"] == "tool"]


def test_code_runs_only_if_it_is_trusted(root: Path) -> None:
    for verb in ("check", "render", "show", "list"):
        assert call(verb, "t")[0] == 0
    for verb in ("run", "record"):
        code, out, told = call(verb, "t")
        assert (code, NOT_TRUSTED in out + told) == (5, True)
    assert lve.run("t").summary.skipped == {"t": f"{NOT_TRUSTED} [untrusted]"}
    assert not (root / "ran").exists()
    assert call("run", "t", "--trust")[0] == 0
    assert missing() or not (root / "ran").exists(), "it runs in a sandbox"
    assert results(root) == ['{"city": "Rome", "celsius": 21}']


def test_its_process_ends_with_the_session(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[ToolProcess] = []
    close = ToolProcess.close

    def close_and_count(process: ToolProcess) -> None:
        close(process)
        ended.append(process)

    monkeypatch.setattr(ToolProcess, "close", close_and_count)
    assert call("run", "t", "--trust")[0] == 0
    assert len(ended) == 1


def test_the_settings_trust_a_file_with_its_content(root: Path) -> None:
    entry = {"path": "t/tools/weather.py", "sha256": sha256(CODE.encode()).hexdigest()}
    settings(root, trust=[entry])
    assert call("run", "t")[0] == 0
    write(root, CODE + "#")
    assert call("run", "t")[0] == 5


def test_what_was_recorded_is_replayed_without_code(root: Path) -> None:
    assert call("record", "t", "--trust")[0] == 0
    write(root, "def get_weather(city):\n    return 'it ran'\n")
    assert call("run", "t", "--model", "replay")[0] == 0
    assert results(root) == ['{"city": "Rome", "celsius": 21}']


def test_mocks_win(root: Path) -> None:
    mock = {"args": {"city": "Rome"}, "result": "21, says the mock"}
    write(root, mocks={"get-weather": [mock]})
    assert call("run", "t", "--trust")[0] == 0
    assert results(root) == ["21, says the mock"]
    write(root, mocks={"get-weather": [{**mock, "args": {"city": "Oslo"}}]})
    code, _, told = call("run", "t", "--trust")
    assert (code, "no mock" in told) == (0, False)
    assert results(root) == ['{"city": "Rome", "celsius": 21}']


def test_the_session_knows_the_file(root: Path) -> None:
    def sums() -> str:
        call("run", "t", "--trust")
        session = sorted((root / ".lve" / "runs").iterdir())[-1]
        tests = json.loads((session / "session.json").read_text(encoding="utf-8"))["tests"]
        return str(tests["t"]["checkers"])

    before = sums()
    write(root, CODE + "#")
    told = call("run", "--resume", "--trust")[2]
    assert "t has changed since the session began (checkers)" in told
    assert sums() != before


def test_it_is_named(root: Path) -> None:
    assert "get-weather (code: tools/weather.py)" in call("show", "t")[1]
    assert "get-weather (code: tools/weather.py)" in call("render", "t")[1]
    (instance,) = json.loads(call("render", "t", "--json")[1])["tests"][0]["instances"]
    assert instance["runs"][0]["tools"][0]["code"] == "tools/weather.py"


@pytest.mark.parametrize("more", [[], ["-n1"]])
def test_pytest_runs_it_only_with_trust(
    pytester: pytest.Pytester, root: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    fork_workers(python, monkeypatch.setattr)
    pytester.runpytest(str(root / "t"), *more).assert_outcomes(skipped=1)
    assert not (root / "ran").exists()
    pytester.runpytest(str(root / "t"), "--lve-trust", *more).assert_outcomes(passed=1)
    assert missing() or not (root / "ran").exists(), "it runs in a sandbox"
