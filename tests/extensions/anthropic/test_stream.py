"""Malformed streams of Anthropic's API."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.any_json import any_json

from lve.errors import ModelError, TransientModelError
from lve.extensions.anthropic.answer import MessageAccumulator
from lve.extensions.anthropic.plugin import AnthropicWire
from lve.messages import Completion
from lve.models.chat_model import wrong_with
from lve.models.http.events import EventReader

KEYS = ("type", "index", "message", "content_block", "delta", "usage", "text", "partial_json")
WORDS = (
    *("message_start", "content_block_start", "content_block_delta", "message_delta"),
    *("message_stop", "text", "tool_use", "text_delta", "input_json_delta", "error"),
)
START = {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 1}}}
END = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}
STOP = {"type": "message_stop"}


def read(events: Iterable[Any]) -> Completion:
    reader = EventReader(MessageAccumulator, AnthropicWire("m").parse)
    for event in events:
        reader.feed(f"event: x\r\ndata: {json.dumps(event)}\r\n\r\n".encode())
    return reader.completion(latency_s=0.1)


def block(index: Any, piece: str, kind: str = "text") -> list[Any]:
    start = {"type": "content_block_start", "index": index, "content_block": {"type": kind}}
    name, delta = ("text", "text_delta") if kind == "text" else ("partial_json", "input_json_delta")
    return [
        start,
        {"type": "content_block_delta", "index": index, "delta": {"type": delta, name: piece}},
    ]


@given(st.lists(any_json(KEYS, WORDS), max_size=4))
def test_whatever_comes_is_a_completion_or_an_error(events: list[Any]) -> None:
    for all_events in (events, [START, *events, END, STOP]):
        with suppress(ModelError):
            assert wrong_with(read(all_events)) is None


def test_blocks_come_in_the_order_of_their_numbers() -> None:
    events = [START, *block(1, " world"), *block(0, "Hello"), END, STOP]
    assert read(events).text == "Hello world"


@pytest.mark.parametrize(
    "events",
    [
        [START, *block("0", "x"), END, STOP],
        [START, {**block(0, "x")[1], "delta": {"type": "thinking_delta", "thinking": "x"}}, END],
        [START, *block(0, "x")],
    ],
)
def test_a_broken_stream_is_tried_again(events: list[Any]) -> None:
    with pytest.raises(TransientModelError) as caught:
        read(events)
    assert caught.value.kind == "malformed"


@pytest.mark.parametrize("written", ['{"city": "Ro', "Rome", "[" * 2_000])
def test_arguments_that_are_no_json_are_the_models_answer(written: str) -> None:
    (call,) = read([START, *block(0, written, "tool_use"), END, STOP]).tool_calls
    assert call.arguments == written


@pytest.mark.parametrize("error", [{}, {"error": None}, {"error": "x"}, {"error": {"type": 5}}])
def test_an_error_that_says_nothing_is_tried_again(error: Any) -> None:
    with pytest.raises(TransientModelError):
        read([START, {"type": "error", **error}])


def test_a_stream_has_a_limited_number_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.models.http.answers.MAX_PARTS", 2)
    with pytest.raises(TransientModelError, match="more than 2 blocks"):
        read([START, *block(0, "a"), *block(1, "b"), *block(2, "c"), END, STOP])


def test_a_server_that_does_not_stream_is_read_whole() -> None:
    reader = EventReader(MessageAccumulator, AnthropicWire("m").parse)
    whole = {"content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}
    reader.feed(json.dumps(whole, indent=1).encode())
    assert reader.completion(latency_s=0.1).text == "Hi"


def test_a_call_counts_as_the_first_token_once_and_a_block_of_text_without_text_does_not() -> None:
    message = MessageAccumulator()
    text, call, other = (
        json.loads(json.dumps(block(number, "{}", kind)[0]))
        for number, kind in enumerate(("text", "tool_use", "tool_use"))
    )
    message.add(START)
    message.add(text)
    assert message.first_token_at is None
    message.add(call)
    first = message.first_token_at
    assert first is not None
    message.add(other)
    assert message.first_token_at == first
