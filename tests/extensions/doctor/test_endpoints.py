"""What `lve doctor` says of models and their servers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from extensions.doctor.doctor import findings
from support.command_line import call
from support.folders import workspace
from support.hostile_server import PLAIN, hostile_server, once, whole
from support.openai_answers import Raw, Received
from support.server import http, model_server

from lve.extensions.doctor import endpoints

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
    assert found["my/m", "tools"]["text"] == "accepted, but without effect"
    assert found["my/m", "server"]["status"] == "note"
    assert found["my/m", "key"]["text"] == "MY_KEY has one"


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
    assert "max_completion_tokens" in found["openai/m", "learned"]["text"]


def test_without_asking_it_is_said_how_to(root: Path) -> None:
    with model_server("ok") as server:
        _, found = findings("-m", "openai/m", "--base-url", server.url)
        assert [one.json for one in server.requests] == []
    assert (
        "--ask" in found["openai/m", "server"]["hint"]
        or "offered" in (found["openai/m", "server"]["hint"])
    )
    assert found["openai/m", "key"]["text"] == "none is sent"


def test_a_busy_server_has_refused_nothing(root: Path) -> None:
    def busy(request: Received) -> Any:
        return Raw(http(503, b"{}")) if "top_p" in request.json else "ok"

    with model_server(busy) as server:
        code, found = findings("-m", "openai/m", "--base-url", server.url, "--ask")
    assert code == 0
    assert found["openai/m", "top_p"]["text"].startswith("unknown: 503")


def test_a_server_that_drips_its_answers_is_not_waited_for(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoints, "LIST_S", 0.2)
    monkeypatch.setattr(endpoints, "TIMEOUT_S", 0.3)
    with hostile_server(PLAIN["a body slowly"]) as server:
        code, found = findings("-m", "openai/m", "--base-url", server.url, "--ask")
    assert code == 2
    assert "no answer within" in found["openai/m", "server"]["text"]
    assert "no answer within" in found["openai/m", "answers"]["text"]


def test_all_questions_together_have_a_limit(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may be slow each time, and never too slow."""
    monkeypatch.setattr(endpoints, "ASK_S", 0.0)
    with model_server("ok") as server:
        _, found = findings("-m", "openai/m", "--base-url", server.url, "--ask")
    assert found["openai/m", "answers"]["text"].startswith("not sent, like all further requests")
    assert ("openai/m", "temperature") not in found


@pytest.mark.parametrize("name", ["a redirect", "a body for ever", "an error bomb", "hangs up"])
def test_a_hostile_server_writes_nothing_to_the_terminal(
    root: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with hostile_server(PLAIN[name]) as server:
        said = call("doctor", "-m", "openai/m", "--base-url", server.url, "--ask")
    assert said[0] == 2
    assert KEY not in str(said)
    assert all(letter == "\n" or letter.isprintable() for letter in said[1])
    assert max(map(len, said[1].splitlines())) < 1000


def test_what_a_server_quotes_of_the_key_is_hidden(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    quote = json.dumps({"error": {"message": f"Incorrect API key {KEY}"}}).encode()
    with model_server(lambda request: Raw(http(401, quote))) as server:
        said = call("doctor", "-m", "openai/m", "--base-url", server.url, "--ask")
    assert "Incorrect API key ***" in said[1]
    assert KEY not in str(said)


def test_an_embedding_model_is_asked_for_vectors(root: Path) -> None:
    with model_server("ok") as server:
        entry = {"base_url": server.url, "model": "m"}
        roles = {"embedding": "my/m"}
        workspace(root, json.dumps({"models": {"my/m": entry}, "roles": roles}))
        code, found = findings("--ask", "--base-url", server.url)
    assert code == 0
    assert found["my/m", "vectors"]["text"].endswith("numbers each")
    assert ("my/m", "answers") not in found


def test_a_server_without_a_list_of_models_may_be_well(root: Path) -> None:
    with hostile_server(once(whole(b"{}", status="404 Not Found"))) as server:
        code, found = findings("-m", "openai/m", "--base-url", server.url)
    assert code == 0
    assert found["openai/m", "server"]["text"] == "answers, and has no list of models"
    assert found["openai/m", "server"]["status"] == "note"
