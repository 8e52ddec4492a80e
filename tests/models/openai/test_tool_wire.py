"""Tools and calls in chat completions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.errors import PermanentModelError, TransientModelError
from lve.messages import Message, Role, Tool, ToolCall
from lve.models.chat_model import ChatRequest
from lve.models.http.answers import MAX_TEXT_CHARS
from lve.models.openai.tool_wire import CallAccumulator, calls_in
from lve.models.openai.wire import chat_body, parse_chat

CALL = ToolCall("c1", "weather", '{"city": "Rome"}')
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


def test_tools_calls_and_results_are_sent_as_the_api_wants_them() -> None:
    messages = (
        Message("Weather?"),
        Message("", Role.assistant, tool_calls=(CALL,)),
        Message("sunny", Role.tool, tool_call_id="c1"),
    )
    body = chat_body("m", ChatRequest(messages, tools=(Tool("weather", "Tells it.", SCHEMA),)))
    function = {"name": "weather", "arguments": '{"city": "Rome"}'}
    assert body == {
        "model": "m",
        "messages": [
            {"role": "user", "content": "Weather?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": function}],
            },
            {"role": "tool", "content": "sunny", "tool_call_id": "c1"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": "weather", "description": "Tells it.", "parameters": SCHEMA},
            }
        ],
    }


def test_a_request_without_tools_does_not_mention_them() -> None:
    assert chat_body("m", ChatRequest((Message("x"),))).keys() == {"model", "messages"}


@pytest.mark.parametrize(
    ("message", "calls"),
    [
        ({"tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{"}}]},
         ("1", "f", "{")),
        ({"tool_calls": [{"function": {"name": "f", "arguments": {"a": "é"}}}]},
         ("", "f", '{"a": "é"}')),
        ({"tool_calls": [{"id": 7, "function": {"name": "f"}}]}, ("", "f", "")),
        ({"tool_calls": [], "function_call": {"name": "f", "arguments": "{}"}}, ("", "f", "{}")),
        ({"tool_calls": None, "function_call": {"name": "f", "arguments": None}}, ("", "f", "")),
        ({"tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}],
          "function_call": {"name": "old", "arguments": "{}"}}, ("1", "f", "{}")),
    ],
)  # fmt: skip
def test_calls_are_read_from_servers_of_all_kinds(message: Any, calls: tuple[str, ...]) -> None:
    assert calls_in(message) == (ToolCall(*calls),)


def test_what_has_no_name_is_no_call() -> None:
    odd = [{}, {"function": "f"}, {"function": {"name": 1}}, {"function": {"name": ""}}, 7, None]
    assert calls_in({"tool_calls": odd, "function_call": {}}) == ()


def test_too_many_and_too_long_calls_are_refused() -> None:
    call = {"function": {"name": "f", "arguments": "x"}}
    assert len(calls_in({"tool_calls": [call] * 1_000})) == 1_000
    with pytest.raises(PermanentModelError, match="more than 1,000 tools at once"):
        calls_in({"tool_calls": [call] * 1_001})
    long = {"function": {"name": "f", "arguments": "x" * MAX_TEXT_CHARS}}
    with pytest.raises(TransientModelError, match="with more than"):
        calls_in({"tool_calls": [long]})


def test_an_answer_may_have_text_and_calls() -> None:
    message = {"content": "Let me see.", "tool_calls": [{"id": "1", "function": {"name": "f"}}]}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
    found = parse_chat(body.encode())
    assert (found.text, found.tool_calls) == ("Let me see.", (ToolCall("1", "f", ""),))
    assert found.finish_reason == "tool_calls"


def joined(*pieces: Any) -> tuple[ToolCall, ...]:
    calls = CallAccumulator()
    for piece in pieces:
        calls.add(piece)
    return calls_in({"tool_calls": calls.calls()})


def test_pieces_are_told_apart_by_index_id_or_order() -> None:
    def piece(arguments: str, **more: Any) -> dict[str, Any]:
        return {**more, "function": {"arguments": arguments}}

    both = (ToolCall("a", "f", "12"), ToolCall("b", "g", "34"))
    named = [
        {"index": 0, "id": "a", "function": {"name": "f", "arguments": "1"}},
        {"index": 1, "id": "b", "function": {"name": "g", "arguments": "3"}},
    ]
    assert joined(*named, piece("2", index=0), piece("4", index=1)) == both
    by_id = [{key: value for key, value in one.items() if key != "index"} for one in named]
    assert joined(by_id[0], piece("2"), by_id[1], piece("4")) == both
    assert joined(by_id[0], by_id[1], piece("2", id="a"), piece("4", id="b")) == both


def test_a_name_may_come_late_and_arguments_as_an_object() -> None:
    late = [{"index": 0, "function": {}}, {"index": 0, "function": {"name": "f"}}]
    assert joined(*late) == (ToolCall("", "f", ""),)
    whole = {"index": 0, "function": {"name": "f", "arguments": {"a": 1}}}
    assert joined(whole) == (ToolCall("", "f", '{"a": 1}'),)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "index", "function", "name", "arguments"]), inner)
    ),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.sampled_from(["id", "index", "function"]), VALUES)))
def test_whatever_a_server_sends_gives_calls_or_none(pieces: list[dict[str, Any]]) -> None:
    for calls in (joined(*pieces), calls_in({"tool_calls": pieces})):
        assert all(isinstance(text, str) for call in calls for text in call)
