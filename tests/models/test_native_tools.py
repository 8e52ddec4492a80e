"""Tests with tools against Anthropic, Gemini and Bedrock: the loop of calls from end to end."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from models.native_providers import ADDRESSES, set_keys
from support import command_line
from support.folders import write_test
from support.killing import kill_when_asked
from support.official_types import (
    anthropic_request,
    first_error,
    gemini_request,
    wrong_with_converse,
)
from support.strict_server import Answered, Asked, strict_server
from support.weather_server import TEST

CITY = {"city": "Rome"}
USAGE = {"input_tokens": 9, "output_tokens": 5}
THINKING = {"type": "thinking", "thinking": "I need the weather.", "signature": "EqQB"}
SIGNED = {"functionCall": {"name": "get_weather", "args": CITY}, "thoughtSignature": "EuIB"}
REASONING = {
    "reasoningContent": {"reasoningText": {"text": "I need the weather.", "signature": "EqQB"}}
}


class Provider(NamedTuple):
    """What a provider's server says in the three turns of a test, and what it wants to read."""

    model: str
    address: str
    """Variable that names the server."""
    calls: Any
    """What the model says first, twice."""
    answer: Any
    thoughts: Any
    """Part of a message that must come back unchanged."""


def claude(content: list[Any], stop: str) -> Any:
    shape = {"id": "msg_1", "type": "message", "role": "assistant", "stop_sequence": None}
    return {**shape, "model": "m", "content": content, "stop_reason": stop, "usage": USAGE}


def gemini(parts: list[Any]) -> Any:
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}


def bedrock(content: list[Any], stop: str) -> Any:
    usage = {"inputTokens": 9, "outputTokens": 5, "totalTokens": 14}
    message = {"message": {"role": "assistant", "content": content}}
    return {"output": message, "stopReason": stop, "usage": usage, "metrics": {"latencyMs": 1}}


PROVIDERS = {
    "anthropic": Provider(
        "anthropic/claude-sonnet-4-6",
        ADDRESSES["anthropic"],
        claude(
            [THINKING, {"type": "tool_use", "id": "t1", "name": "get_weather", "input": CITY}],
            "tool_use",
        ),
        claude([{"type": "text", "text": "It has 7 degrees."}], "end_turn"),
        THINKING,
    ),
    "gemini": Provider(
        "gemini/gemini-3.5-flash",
        ADDRESSES["gemini"],
        gemini([SIGNED]),
        gemini([{"text": "It has 7 degrees."}]),
        SIGNED,
    ),
    "bedrock": Provider(
        "bedrock/eu.anthropic.claude-sonnet-4-6",
        ADDRESSES["bedrock"],
        bedrock(
            [REASONING, {"toolUse": {"toolUseId": "t1", "name": "get_weather", "input": CITY}}],
            "tool_use",
        ),
        bedrock([{"text": "It has 7 degrees."}], "end_turn"),
        REASONING,
    ),
}


def wrong_with(asked: Asked) -> str | None:
    if "/messages" in asked.path:
        sampling = {"temperature"}  # the types of today no longer have it
        body = {name: value for name, value in asked.body.items() if name not in sampling}
        return first_error(anthropic_request(), body)
    if ":generateContent" in asked.path:
        return first_error(gemini_request(), asked.body) or wrong_ids(asked.body)
    return wrong_with_converse({"modelId": "m", **asked.body})


def wrong_ids(body: Any) -> str | None:
    """Say if the results of calls have other ids than the calls."""
    parts = [part for content in body["contents"] for part in content["parts"]]
    calls, results = (
        [part[kind].get("id") for part in parts if kind in part]
        for kind in ("functionCall", "functionResponse")
    )
    return None if calls == results else f"calls {calls}, results {results}"


def speaking(provider: Provider, calls: Any = None) -> Callable[[Asked], Answered]:
    """Return a model that calls twice, then answers."""

    def answer(asked: Asked) -> Answered:
        messages = asked.body.get("messages") or asked.body["contents"]
        said = [one for one in messages if one["role"] in ("assistant", "model")]
        city = re.search(r"Weather in (\w+)", json.dumps(messages[0]))
        assert city
        body = provider.answer if len(said) == 2 else calls or provider.calls
        text = json.dumps(body).replace("Rome", city[1])
        return Answered(200, text.encode(), {"Content-Type": "application/json"})

    return answer


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest) -> Provider:
    if request.param == "bedrock":
        pytest.importorskip("boto3", reason="pip install boto3")
    return PROVIDERS[request.param]


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    set_keys(monkeypatch)


def results_of(root: Path) -> list[dict[str, Any]]:
    session = sorted((root / ".lve" / "runs").iterdir())[-1]
    lines = (session / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.usefixtures("keys")
def test_a_loop_of_calls_keeps_what_the_model_thought(
    provider: Provider, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_test(root / "t", instances=[{"args": {"city": "Rome", "celsius": 7}}], **TEST)
    with strict_server(wrong_with, speaking(provider)) as server:
        monkeypatch.setenv(provider.address, server.url)
        run = ("run", "t", "--model", provider.model, "--json")
        first, again = command_line.call(*run), command_line.call(*run)
    assert server.wrong == []
    assert len(server.requests) == 3, "the second run is served by the cache"
    for code, out, _ in (first, again):
        assert not code
        (instance,) = json.loads(out)["tests"][0]["instances"]
        assert instance["responses"] == ["It has 7 degrees."]
    last = server.requests[2].body
    messages = last.get("messages") or last["contents"]
    parts = [part for message in messages for part in _parts(message)]
    assert parts.count(provider.thoughts) == 2
    for file in root.glob(".lve/runs/*/results.jsonl"):
        assert "EqQB" not in file.read_text(encoding="utf-8"), "signatures are the cache's alone"


@pytest.mark.usefixtures("keys")
def test_arguments_that_are_no_object_are_the_models_mistake(
    provider: Provider, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_test(root / "t", instances=[{"args": {"city": "Rome", "celsius": 7}}], **TEST)
    calls = json.loads(json.dumps(provider.calls).replace(json.dumps(CITY), '"Rome"'))
    with strict_server(wrong_with, speaking(provider, calls)) as server:
        monkeypatch.setenv(provider.address, server.url)
        code, _, _ = command_line.call("run", "t", "--model", provider.model)
    assert server.wrong == []
    assert not code
    (transcript,) = results_of(root)[0]["transcripts"]
    results = [one["content"] for one in transcript["messages"] if one["role"] == "tool"]
    assert results == ["Error: the arguments are no JSON object"] * 2


@pytest.mark.usefixtures("keys")
def test_a_loop_is_recorded_and_replayed(
    provider: Provider, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_test(root / "t", instances=[{"args": {"city": "Rome", "celsius": 7}}], **TEST)
    with strict_server(wrong_with, speaking(provider)) as server:
        monkeypatch.setenv(provider.address, server.url)
        assert command_line.call("record", "t", "--model", provider.model)[0] == 0
    assert server.wrong == []
    (folder / "instances" / "main.jsonl").unlink()
    assert command_line.call("run", "t", "--model", "replay")[0] == 0
    assert len(server.requests) == 3
    (result,) = results_of(root)
    (transcript,) = result["transcripts"]
    assert [one["role"] for one in transcript["messages"]] == [
        *("user", "assistant", "tool", "assistant", "tool", "assistant"),
    ]


@pytest.mark.usefixtures("keys")
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_a_loop_that_was_killed_goes_on_where_it_was(
    provider: Provider, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cities = [{"args": {"city": f"city{n}", "celsius": 7}} for n in range(4)]
    write_test(root / "t", instances=cities, **TEST)
    with strict_server(wrong_with, speaking(provider)) as server:
        monkeypatch.setenv(provider.address, server.url)
        kill_when_asked(["t", "--model", provider.model, "-j", "1"], server, 5)
        before = len(server.requests)
        assert before < 12, "it was killed in the middle"
        assert command_line.call("run", "--resume")[0] == 0
    assert server.wrong == []
    # Missing may be the one under way, and the one before that was not on the disk yet.
    assert 12 <= len(server.requests) <= 12 + 2
    assert [one["verdict"] for one in results_of(root)] == ["passed"] * 4


def _parts(message: Any) -> list[Any]:
    content = message.get("content") or message.get("parts")
    return content if isinstance(content, list) else []
