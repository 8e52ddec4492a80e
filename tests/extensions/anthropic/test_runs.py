"""Claude models as a user runs them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support import command_line
from support.folders import write_test
from support.strict_server import Answered, Asked, StrictServer, strict_server

from lve.errors import SettingsError
from lve.models.known_models import price_of
from lve.models.registry import create_model
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

NAME = "anthropic/claude-haiku-4-5"
MESSAGE = {
    "id": "msg_01",
    "type": "message",
    "role": "assistant",
    "model": "claude-haiku-4-5-20251001",
    "content": [
        {"type": "thinking", "thinking": "They want Hello.", "signature": "Eq=="},
        {"type": "text", "text": "Hello!"},
    ],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 9},
}


def said(body: object) -> Answered:
    return Answered(200, json.dumps(body).encode())


def nothing_wrong(_: Asked) -> str | None:
    return None


@contextmanager
def claude(monkeypatch: pytest.MonkeyPatch, *answers: Answered) -> Iterator[StrictServer]:
    """A server that the user names in Anthropic's variable."""
    with strict_server(nothing_wrong, answers or [said(MESSAGE)]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-of-this-test")
        yield server


def test_a_run_needs_nothing_but_a_key(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_test(root / "hello")
    with claude(monkeypatch) as server:
        code, out, _ = command_line.call("run", root, "--model", NAME, "--json")
        again = command_line.call("run", root, "--model", NAME, "--json")
    assert not code
    assert [asked.path for asked in server.requests] == ["/v1/messages"], "the second is cached"
    assert server.requests[0].headers["x-api-key"] == "sk-ant-of-this-test"
    assert server.requests[0].body["max_tokens"] == 64000
    for shown in (out, again[1]):
        (instance,) = json.loads(shown)["tests"][0]["instances"]
        assert instance["verdict"] == "passed"


def test_what_the_model_thought_is_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_test(root / "hello")
    with claude(monkeypatch):
        command_line.call("run", root, "--model", NAME)
    (file,) = root.glob(".lve/runs/*/results.jsonl")
    (line,) = [json.loads(one) for one in file.read_text().splitlines()]
    (completion,) = line["transcripts"][0]["completions"]
    assert completion["reasoning"] == "They want Hello."
    assert completion["finish_reason"] == "stop"
    assert line["usage"] == {"prompt_tokens": 12, "completion_tokens": 9, "cached_tokens": 7}
    assert "sk-ant" not in file.read_text()


def test_the_server_says_which_models_it_has(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = {"data": [{"id": "claude-b"}, {"id": "claude-a"}], "has_more": False}
    with claude(monkeypatch, said(page)) as server:
        code, out, _ = command_line.call("models", "offered", "anthropic")
    assert not code
    assert out.splitlines() == ["anthropic/claude-a", "anthropic/claude-b"]
    assert server.requests[0].path == "/v1/models?limit=1000"


def test_a_price_counts_at_anthropics_address_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    price = price_of(NAME, Settings())
    assert price is not None
    assert (price.input, price.output, price.cached_input) == (1, 5, 0.1)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://gateway.example")
    assert price_of(NAME, Settings()) is None


@pytest.mark.parametrize("given", ["https://gateway.example", "https://gateway.example/v1/"])
def test_the_variable_of_anthropics_own_client_names_the_server(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", given)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-of-this-test")
    model = create_model(NAME, Settings())
    assert dict(model.identity or {})["base_url"] == "https://gateway.example/v1"


def test_an_option_that_there_is_not_is_named() -> None:
    for options, words in (
        ({"prompt_cache": "2h"}, "options.prompt_cache must be `5m` or `1h`"),
        ({"cache": "5m"}, "unknown option 'cache' (known: client, headers, prompt_cache)"),
    ):
        entry = ModelSettings(provider="anthropic", base_url="http://localhost:1", options=options)
        with pytest.raises(SettingsError, match=re.escape(words)):
            create_model("c", Settings(models={"c": entry}))
