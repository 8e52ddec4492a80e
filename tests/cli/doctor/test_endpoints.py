"""What `lve doctor` says of models and their servers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.doctor import findings
from support.folders import workspace
from support.openai_answers import Raw, Received
from support.server import http, model_server

KEY = "sk-0123456789abcdefghijklmnop"


def refusing(request: Received) -> Any:
    """Refuse a seed; answer with log-probabilities, a stream and calls as lve's server does."""
    if "seed" in request.json:
        return Raw(http(400, b'{"error": {"message": "Unsupported parameter: seed"}}'))
    return "ok"


def test_what_a_server_takes_is_found_out(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with model_server(refusing) as server:
        entry = {"base_url": server.url, "model": "m", "api_key_env": "MY_KEY"}
        workspace(root, json.dumps({"models": {"my/m": entry}, "model": "my/m"}))
        code, out, _ = call("doctor", "--ask", "--base-url", server.url)
        _, found = findings("--ask", "--base-url", server.url)
    assert (code, KEY in out) == (0, False)
    assert "refused" in found["my/m", "seed"]["text"]
    assert found["my/m", "seed"]["status"] == "note"
    for name in ("answers", "temperature", "stop", "logprobs", "streaming"):
        assert found["my/m", name]["status"] == "good", name
    assert found["my/m", "tools"]["text"] == "taken, and nothing comes of it"
    assert found["my/m", "server"]["status"] == "note"


def test_a_server_that_isnt_there_is_asked_once(root: Path) -> None:
    code, found = findings("-m", "openai/m", "--base-url", "http://127.0.0.1:9/v1", "--ask")
    assert code == 2
    assert "connection refused" in found["openai/m", "server"]["text"]
    assert found["openai/m", "answers"]["status"] == "bad"
    assert ("openai/m", "temperature") not in found


def test_an_arg_that_has_another_name_is_no_refusal(root: Path) -> None:
    def renames(request: Received) -> Any:
        if "max_tokens" in request.json:
            said = "max_tokens is not supported, use max_completion_tokens instead"
            return Raw(http(400, json.dumps({"error": {"message": said}}).encode()))
        return "ok"

    with model_server(renames) as server:
        code, found = findings("-m", "openai/m", "--base-url", server.url, "--ask")
    assert code == 0
    assert found["openai/m", "answers"]["status"] == "good"
