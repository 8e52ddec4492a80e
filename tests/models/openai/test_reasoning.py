"""Reasoning in chat completions: kept apart from the answer, also in streams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lve.errors import TransientModelError
from lve.messages import Completion, Message, Role
from lve.models.chat_model import ChatRequest
from lve.models.http.events import EventReader
from lve.models.openai.apis import ChatAccumulator
from lve.models.openai.wire import chat_body, parse_chat

CASES = json.loads(
    (Path(__file__).parents[2] / "cases" / "models" / "thoughts.json").read_text(encoding="utf-8")
)


def whole(message: dict[str, Any], finish: str = "stop") -> Completion:
    choice = {"message": message, "finish_reason": finish}
    return parse_chat(json.dumps({"choices": [choice]}).encode())


def reader_of(deltas: list[dict[str, Any]], finish: str = "stop") -> EventReader:
    reader = EventReader(ChatAccumulator, parse_chat)
    for number, delta in enumerate(deltas, 1):
        choice = {"delta": delta, "finish_reason": finish if number == len(deltas) else None}
        reader.feed(b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n")
    return reader


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_thought_is_beside_the_answer(case: dict[str, Any], streamed: bool) -> None:
    finish = case.get("finish", "stop")
    if streamed:
        found = reader_of(case["deltas"], finish).completion(latency_s=1.0)
    else:
        found = whole(case["message"], finish)
    assert (found.text, found.reasoning) == (case["text"], case["reasoning"])
    assert found.provider_state == case.get("state")


def test_the_first_token_is_one_of_the_answer() -> None:
    assert reader_of([{"reasoning_content": "Hm"}]).first_token_s is None
    assert reader_of([{"reasoning_content": "Hm"}, {"content": "a"}]).first_token_s is not None


def test_a_thought_goes_back_with_its_calls_to_the_api_that_it_came_from() -> None:
    calls = whole(CASES[4]["message"]).tool_calls
    states = [
        {"api": "chat", "reasoning_content": "I look."},
        {"api": "responses", "reasoning_content": "I look."},
        {"api": "chat", "reasoning_content": 7},
        7,
    ]
    messages = [
        Message("", Role.assistant, tool_calls=calls, provider_state=state) for state in states
    ]
    sent = chat_body("m", ChatRequest(tuple(messages)))["messages"]
    assert [message.get("reasoning_content") for message in sent] == ["I look.", None, None, None]


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_an_endless_thought_is_refused(name: str) -> None:
    piece = "x" * 1024 * 1024
    with pytest.raises(TransientModelError, match="more than"):
        reader_of([{name: piece}] * 9)
    with pytest.raises(TransientModelError, match="more than"):
        whole({"content": "a", name: piece * 9})
    parts = [{"type": "thinking", "thinking": [{"text": piece * 9}]}]
    with pytest.raises(TransientModelError, match="more than"):
        whole({"content": parts})
