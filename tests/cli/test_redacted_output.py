"""Keys of the environment come into no output, through whatever door a text leaves."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.folders import workspace, write_test
from support.forked import python
from support.openai_answers import Received, Reply
from support.server import model_server

KEY = "sk-proj-Zq0123456789abcdefABCDEF"
PIECE = KEY[4:20]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A test whose prompt and parameters hold a key of the environment."""
    monkeypatch.setenv("MY_KEY_1", KEY)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    root = workspace(tmp_path, "models: {my/model: {api_key_env: WHATEVER}}")
    write_test(
        root / "t",
        description=f"says {KEY}",
        tags=[{"name": "owner", "value": KEY}],
        prompt=[{"role": "user", "content": f"My key is {KEY}, and {{word}}. {'filler ' * 90}"}],
        prompt_parameters=["word"],
        instances=[{"args": {"word": KEY}, "response": "no", "passed": True}],
    )
    return root


def call(root: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*python(), "-m", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, **environment},
    )


DOORS = [
    ["run", "t", "--model", "replay", "-v"],
    ["run", "t", "--model", "replay", "--json"],
    ["run", "t", "--model", "replay", "--jsonl"],
    ["run", "t", "--model", KEY],
    ["run", KEY],
    ["run", "t", "--model", "replay", "-p", f"nope={KEY}"],
    ["run", "t", "--model", "replay", "--model-arg", f"api_key={KEY}"],
    ["run", "t", "--model", "replay", "--dry-run"],
    ["run", "--resume", KEY],
    ["check", "t"],
    ["render", "t"],
    ["render", "t", "--json"],
    ["list", "t"],
    ["list", "t", "--json"],
    ["show", "t"],
    ["show", "t", "--json"],
    [KEY],
]


@pytest.mark.parametrize("door", DOORS)
def test_a_key_in_a_test(root: Path, door: list[str]) -> None:
    done = call(root, "lve", *door)
    said = done.stdout + done.stderr
    assert said
    assert PIECE not in said
    assert "Traceback" not in said


@pytest.mark.parametrize("door", [["run", "t", "--model", "replay", "-v"], ["show", "t"]])
def test_a_key_that_a_screen_would_cut(root: Path, door: list[str]) -> None:
    """On a terminal lines are wrapped and cut, so that no line has a key whole."""
    code = (
        "import os, pty, sys\n"
        "def read(handle):\n"
        "    data = os.read(handle, 65536)\n"
        "    return data\n"
        "sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], read)))\n"
    )
    script = root / "terminal.py"
    script.write_text(code)
    said = subprocess.run(
        [sys.executable, str(script), *python(), "-m", "lve", *door],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "COLUMNS": "44"},
    ).stdout
    assert "redacted" in said
    assert PIECE[:8] not in said.replace("\r", "").replace("\n", "").replace(" ", "")


def test_a_key_whose_variable_only_the_settings_name(root: Path) -> None:
    result = call(root, "lve", "run", "t", "--model", "replay", "--json", WHATEVER=KEY, MY_KEY_1="")
    assert PIECE not in result.stdout
    assert "[redacted]" in result.stdout


SAYS = {
    "as it is": KEY,
    "reversed": KEY[::-1],
    "capitals": KEY.upper(),
    "base64": base64.b64encode(f"user:{KEY}".encode()).decode(),
    "hexadecimal": KEY.encode().hex(),
}


@pytest.mark.parametrize("spelling", SAYS)
def test_a_server_that_says_the_key_in_another_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spelling: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    write_test(workspace(tmp_path) / "t", checker_args={**NEVER, "pattern": "key"})

    def answer(_: Received) -> Reply:
        return Reply(f"the key: {SAYS[spelling]}.")

    with model_server(answer) as server:
        at = ["--model", "openai/x", "--base-url", server.url]
        result = call(tmp_path, "lve", "run", "t", *at, "-v")
    written = [file.read_bytes() for file in (tmp_path / ".lve").rglob("*") if file.is_file()]
    core = SAYS[spelling][8:-8]
    assert "[redacted]" in result.stdout
    assert core not in result.stdout + result.stderr
    assert not any(core.encode() in content for content in written)


def test_a_key_in_names_that_the_user_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By mistake, a key is the name of a model or a part of a path: it is in no file's content."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    write_test(workspace(tmp_path) / "t", model=None)
    reports = [text for name in ("r.json", "r.csv", "r.html", "r.xml") for text in ("-o", name)]
    # A server that says the model's name says the key, and what says a key isn't cached.
    answer = {"choices": [{"message": {"content": "4"}, "finish_reason": "stop"}]}
    with model_server(answer) as server:
        at = ["--model", f"openai/{KEY}", "--base-url", server.url, "--session-dir", f"s-{KEY}"]
        for _ in range(2):  # the second time, the answer comes from the cache
            result = call(tmp_path, "lve", "run", "t", *at, *reports, "-v")
            assert "wrote r.json" in result.stderr
        assert len(server.requests) == 1
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert {"cache.db", "session.json", "r.json"} <= {file.name for file in written}
    assert not [file.name for file in written if PIECE.encode() in file.read_bytes()]


NEVER = {"checker_name": "RegexChecker", "match_safe": False}


def test_pytest_says_no_key(root: Path) -> None:
    result = call(
        root, "pytest", "t", "-rA", "-p", "no:cacheprovider", "--lve-model", "replay", "-vv"
    )
    assert "[redacted]" in result.stdout
    assert PIECE not in result.stdout + result.stderr


def test_an_encoding_that_lacks_characters(root: Path) -> None:
    write_test(root / "u", description="naïve → ✓")
    result = subprocess.run(
        [sys.executable, "-m", "lve", "show", "u"],
        cwd=root,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "na\\xefve \\u2192" in result.stdout
