"""A server that says the key back: it comes into no output and no file."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import lve
from support.folders import workspace, write_test
from support.openai_answers import Received, Reply
from support.server import model_server

KEY = "sk-proj-0123456789abcdefABCDEF"


def telltale(_: Received) -> Reply:
    return Reply(f"your key is Bearer {KEY}, Hello?")


def refusal(_: Received) -> int:
    return 401


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(workspace(tmp_path))
    return tmp_path


@pytest.mark.parametrize("options", [(), ("-v",), ("--json",), ("--jsonl",), ("--stream",)])
@pytest.mark.parametrize("expression", ["False", "len(r) < 0", "r == 'hello'"])
def test_a_key_in_an_answer(root: Path, options: tuple[str, ...], expression: str) -> None:
    checker = {"checker_name": "LambdaChecker", "func": f"lambda r: {expression}"}
    write_test(root / "t", checker_args=checker)
    with model_server(telltale) as server:
        at = ("--model", "openai/test", "--base-url", server.url)
        runs = [lve("run", "t", *at, *options, code=1) for _ in range(2)]
    assert [run.exit_code for run in runs] == [1, 1]
    assert not any(KEY in run.output for run in runs)
    files = [file for file in (root / ".lve").rglob("*") if file.is_file()]
    assert any(file.name == "cache.db" for file in files)
    assert [file.name for file in files if KEY.encode() in file.read_bytes()] == []


def test_a_key_in_log_probabilities(root: Path) -> None:
    write_test(root / "t")
    logprobs = {"content": [{"token": f"Bearer {KEY}", "logprob": -0.1, "top_logprobs": []}]}
    body = {
        "choices": [{"message": {"content": "Hello"}, "logprobs": logprobs}],
        "model": f"model of {KEY}",
    }
    with model_server(lambda _: body) as server:
        at = ("--model", "openai/test", "--base-url", server.url)
        run = lve("run", "t", *at, "--json", "--model-arg", "logprobs=true")
    assert KEY not in run.output
    files = [file for file in (root / ".lve").rglob("*") if file.is_file()]
    assert [file.name for file in files if KEY.encode() in file.read_bytes()] == []
