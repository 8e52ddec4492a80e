"""Streamed answers, cut into pieces of every size."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.any_json import any_json

from lve.errors import ContentFilteredError, ModelError, TransientModelError
from lve.messages import ToolCall, Usage
from lve.models.http.events import EventReader
from lve.models.openai.apis import ChatAccumulator
from lve.models.openai.wire import parse_chat


def event(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return b"data: " + json.dumps({"model": "m", "choices": choices, **more}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
WHOLE = b"".join(
    [
        b": a comment\n\n",
        event({"role": "assistant", "content": ""}),
        event({"content": "Grüße, "}),
        event({"content": "世界"}),
        event({}, "stop"),
        event(usage={"prompt_tokens": 4, "completion_tokens": 2}),
        DONE,
    ]
)


def read(*pieces: bytes) -> Any:
    reader = EventReader(ChatAccumulator, parse_chat)
    for piece in pieces:
        reader.feed(piece)
    return reader.completion(latency_s=1.0)


@given(st.lists(st.integers(0, len(WHOLE))))
def test_it_does_not_matter_where_the_network_cuts(cuts: list[int]) -> None:
    places = sorted({0, *cuts, len(WHOLE)})
    found = read(*(WHOLE[a:b] for a, b in pairwise(places)))
    assert (found.text, found.finish_reason, found.usage) == ("Grüße, 世界", "stop", Usage(4, 2))


def test_the_last_count_of_tokens_holds() -> None:
    counted = [{"prompt_tokens": 4, "completion_tokens": n} for n in (1, 2, 3)]
    first, second, last = counted
    found = read(
        event({"content": "a"}, usage=first),
        event({"content": "b"}, finish="stop", usage=second),
        event(usage=last),
        event({}, usage=None),
        b"data: [DONE]\n\n",
    )
    assert found.usage == Usage(4, 3)


def test_line_ends_may_be_crlf() -> None:
    assert read(WHOLE.replace(b"\n", b"\r\n")).text == "Grüße, 世界"


def test_the_first_token_is_the_first_text_not_the_first_event() -> None:
    reader = EventReader(ChatAccumulator, parse_chat)
    reader.feed(event({"role": "assistant", "content": ""}))
    assert reader.first_token_s is None
    reader.feed(event({"content": "x"}))
    first = reader.first_token_s
    assert first is not None
    reader.feed(event({"content": "y"}) + event({}, "stop") + DONE)
    assert reader.completion(latency_s=9.0).first_token_s == first


def test_after_the_first_token_events_are_parsed_together() -> None:
    reader = EventReader(ChatAccumulator, parse_chat)
    reader.feed(event({"content": "x"}))
    reader.feed(b"data: {broken\n\n")  # waits for more
    with pytest.raises(TransientModelError, match="not JSON"):  # but not for the end
        reader.feed(event({"content": "y" * 70_000}))


def test_refusals_and_tool_calls_are_put_together() -> None:
    assert read(event({"refusal": "I "}), event({"refusal": "can't"}, "stop")).text == "I can't"
    first = {"index": 0, "id": "c", "function": {"name": "f", "arguments": "{"}}
    rest = {"index": 0, "function": {"arguments": "}"}}
    found = read(
        event({"content": "", "tool_calls": [first]}),
        event({"tool_calls": [rest]}, "tool_calls"),
    )
    assert (found.text, found.tool_calls) == ("", (ToolCall("c", "f", "{}"),))


def test_tool_calls_of_any_form_are_read() -> None:
    calls = [
        {"index": 0, "function": "f"},
        {"index": 0, "function": {"name": "f", "arguments": 7}},
        {"index": 0, "function": ["x"]},
        {"index": [], "id": "2", "function": {"name": "g", "arguments": "a"}},
        {"function": {"arguments": "b"}},
    ]
    events = [event({"tool_calls": [call]}) for call in calls]
    found = read(*events, event({"tool_calls": ["x"]}, "tool_calls"))
    assert found.tool_calls == (ToolCall("", "f", ""), ToolCall("2", "g", "ab"))


def test_odd_logprobs_do_not_cost_the_answer() -> None:
    choice = {"delta": {"content": "x"}, "logprobs": {"content": 7}}
    data = b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"
    assert read(data, event({}, "stop")).logprobs is None


def test_logprobs_are_joined() -> None:
    def with_logprob(token: str) -> bytes:
        choice = {"delta": {"content": token}, "logprobs": {"content": [{"token": token}]}}
        return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"

    found = read(with_logprob("a"), with_logprob("b"), event({}, "stop"), DONE)
    assert found.logprobs == [{"token": "a"}, {"token": "b"}]


def test_a_server_that_does_not_stream_is_understood() -> None:
    body = json.dumps({"choices": [{"message": {"content": "whole"}}]}, indent=1).encode()
    assert read(body[:10], body[10:]).text == "whole"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "malformed"),
        (b"<html>", "malformed"),
        (event({"content": "half"}), "malformed"),
        (event({"content": "half"}) + b'data: {"cho', "malformed"),
        (b"data: {x\n\n" + DONE, "malformed"),
        (b"data: 1\n\n" + DONE, "malformed"),
        (b"data: " + b"[" * 200_000 + b"\n\n" + DONE, "malformed"),
        (event({"tool_calls": 7}) + event({}, "stop") + DONE, "empty"),
        (DONE, "empty"),
        (event({"role": "assistant", "content": None}) + event({}, "stop") + DONE, "empty"),
        (b'data: {"error": {"message": "busy", "code": 503}}\n\n', "overloaded"),
    ],
)
def test_broken_streams_are_worth_another_try(body: bytes, kind: str) -> None:
    with pytest.raises(TransientModelError) as caught:
        read(body)
    assert caught.value.kind == kind


def test_a_filter_that_strikes_in_the_middle_is_permanent() -> None:
    with pytest.raises(ContentFilteredError):
        read(event({"content": "some"}), event({}, "content_filter"), DONE)


@given(st.lists(st.sampled_from([b"data:", b" [DONE]", b"\n", b"{}", b'{"choices":[{}]}', b"x"])))
def test_no_bytes_break_the_reader(pieces: list[bytes]) -> None:
    try:
        read(*pieces)
    except ModelError:
        return


def test_each_piece_is_heard_at_once() -> None:
    heard: list[str] = []
    reader = EventReader(ChatAccumulator, parse_chat, heard.append)
    for piece in ("a", "b", "c"):
        reader.feed(event({"content": piece, "reasoning": "hm"}))
        assert heard[-1] == piece
    reader.feed(DONE)
    assert reader.completion(latency_s=1.0).text == "".join(heard) == "abc"


@given(any_json(("choices", "delta", "content", "text", "type"), ("text", "x")))
def test_whatever_was_added_can_be_heard(chunk: Any) -> None:
    answer = ChatAccumulator()
    with suppress(ModelError):
        answer.add(chunk if isinstance(chunk, dict) else {})
        assert isinstance(answer.text_in(chunk if isinstance(chunk, dict) else {}), str)
