"""The Responses API against a strict server: cases as data, each of them also streamed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from extensions.responses import responses_api
from extensions.responses.responses_api import HELLO, ask
from support.server import Raw, model_server

from lve import errors
from lve.errors import ModelError, PermanentModelError
from lve.messages import Message, Role, Tool, ToolCall
from lve.models.chat_model import ChatRequest

CASES = json.loads(
    (Path(__file__).parents[2] / "cases" / "models" / "responses.json").read_text(encoding="utf-8")
)


def request_of(case: Mapping[str, Any], *, stream: bool) -> ChatRequest:
    messages = [
        Message(
            one["content"],
            Role(one["role"]),
            image_url=one.get("image_url"),
            tool_calls=tuple(ToolCall(*call) for call in one.get("tool_calls", ())),
            tool_call_id=one.get("tool_call_id"),
            provider_state=one.get("provider_state"),
        )
        for one in case["messages"]
    ]
    tools = tuple(Tool(**tool) for tool in case.get("tools", ()))
    return ChatRequest(tuple(messages), case.get("args", {}), stream=stream, tools=tools)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("client", ["own", "openai"])
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_conversation_is_sent_and_read_as_the_api_wants(
    case: dict[str, Any], client: str, stream: bool
) -> None:
    output = case.get("output", [responses_api.message("Hello")])

    def reply(asked: Mapping[str, Any]) -> dict[str, Any]:
        return responses_api.response(asked, output, **case.get("fields", {}))

    given = request_of(case, stream=stream)
    with model_server(responses_api.strict(reply)) as server:
        if "error" in case:
            kind, name, said = case["error"]
            with pytest.raises(getattr(errors, kind), match=said) as failed:
                ask(server, given, options={"client": client})
            assert type(failed.value).__name__ == kind
            assert failed.value.kind == name
            return
        completion = ask(server, given, options={"client": client})
        (sent,) = server.requests
    expected = case.get("sent", {})
    assert {name: sent.json.get(name) for name in expected} == expected
    found = asdict(completion)
    found["usage"] = list(found["usage"].values())
    found["tool_calls"] = [list(call) for call in completion.tool_calls]
    wanted = case.get("completion", {"text": "Hello"})
    assert {name: found[name] for name in wanted} == wanted
    assert completion.latency_s > 0
    assert (completion.first_token_s is not None) is (stream and has_text(output))


def has_text(output: Any) -> bool:
    return any(item["type"] in ("message", "function_call") for item in output)


@pytest.mark.parametrize("status", ["queued", "in_progress"])
def test_a_response_that_is_not_finished_is_no_answer(status: str) -> None:
    def reply(asked: Mapping[str, Any]) -> dict[str, Any]:
        return responses_api.response(asked, [responses_api.message("Hel")], status=status)

    with (
        model_server(responses_api.strict(reply)) as server,
        pytest.raises(PermanentModelError, match="leave `background` out"),
    ):
        ask(server, HELLO)


ODD: list[Any] = [
    {"output": 7},
    {"output": [7, None, {}]},
    {"output": [{"type": "message", "content": [7, {"type": "output_text", "text": 7}]}]},
    {"output": [{"type": "function_call", "name": 7}]},
    {"output": [{"type": "reasoning", "summary": {}, "content": [{}], "encrypted_content": []}]},
    {"output": [{"type": []}, {"type": {}}]},
    {"usage": {"input_tokens": -1, "output_tokens": "x"}},
    {"status": [], "incomplete_details": 7},
    {"error": [[]]},
    {"model": {}},
]


@pytest.mark.parametrize("fields", ODD)
def test_odd_values_are_no_crash(fields: dict[str, Any]) -> None:
    def reply(asked: Mapping[str, Any]) -> Raw:
        whole = responses_api.response(asked, [responses_api.message("Hello")])
        return Raw(responses_api.http(200, json.dumps({**whole, **fields}).encode()))

    with model_server(responses_api.strict(reply)) as server:
        try:
            completion = ask(server, HELLO)
        except ModelError:
            return
    assert completion.text == "Hello"


def test_more_calls_than_any_model_makes_are_refused() -> None:
    call = {"type": "function_call", "id": "f", "call_id": "c", "name": "f", "arguments": "{}"}

    def reply(asked: Mapping[str, Any]) -> dict[str, Any]:
        return responses_api.response(asked, [call] * 1001)

    with (
        model_server(responses_api.strict(reply)) as server,
        pytest.raises(ModelError, match="1,000"),
    ):
        ask(server, HELLO)
