"""Bodies of requests and answers."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.errors import ContentFilteredError, ModelError, PermanentModelError, TransientModelError
from lve.messages import Completion, Message, Role, Usage
from lve.models.chat_model import ChatRequest
from lve.models.http.json_body import encode
from lve.models.openai.wire import chat_body, parse_chat

DEEP = b"[" * 500 + b"]" * 500
"""Deep enough that it can be read, but not written again."""


def answer(
    message: dict[str, Any] | None = None, finish: str | None = "stop", **more: Any
) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return json.dumps({"model": "served", "choices": [choice], **more}).encode()


def test_a_request_carries_model_messages_and_args() -> None:
    messages = (
        Message("Be short.", Role.system),
        Message("Hi"),
        Message("Hello", Role.assistant, variable="greeting"),
        Message("Bye"),
    )
    request = ChatRequest(messages, {"temperature": 0.0, "seed": 7, "top_p": None}, repeat=3)
    assert chat_body("m", request) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello"},
            {"role": "user", "content": "Bye"},
        ],
        "temperature": 0.0,
        "seed": 7,
    }


def outcome(body: bytes) -> object:
    """Return the completion in a body, or the error."""
    try:
        return parse_chat(body, latency_s=0.5)
    except ModelError as error:
        return type(error), error.kind, str(error)


NOTHING = st.sampled_from([None, "", [], {}, 0, False])
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "message": st.fixed_dictionaries(
            {},
            optional={
                "role": st.just("assistant"),
                "content": st.sampled_from(["4", "", None, 4, [], [{"text": "4"}]]),
                "refusal": st.sampled_from([None, "", "No."]),
                "reasoning": NOTHING | st.just("So."),
                "reasoning_content": NOTHING | st.just("So."),
                "function_call": NOTHING | st.just({"name": "f", "arguments": "{}"}),
                "tool_calls": NOTHING,
                "annotations": st.just([]),
            },
        )
        | st.sampled_from([None, "4", ["content"]]),
        "finish_reason": st.sampled_from(["stop", "length", "end_turn", "content_filter", None, 1]),
        "index": st.sampled_from([0, None, 1]),
        "logprobs": NOTHING | st.just({"content": [{"token": "4", "logprob": -1}]}),
        "error": NOTHING | st.just({"message": "overloaded", "code": 503}),
    },
)


@given(
    FIELDS | st.sampled_from([None, "4", {}]),
    st.integers(0, 2),
    st.sampled_from(["m", "", None, 1, "m" * 257]),
    st.sampled_from([None, {}, {"prompt_tokens": 8, "completion_tokens": 1, "total_tokens": 9}, 7]),
)
def test_an_ordinary_answer_is_what_the_long_way_makes_of_it(
    choice: Any, number: int, model: Any, usage: Any
) -> None:
    body = json.dumps({"model": model, "choices": [choice] * number, "usage": usage}).encode()
    with pytest.MonkeyPatch.context() as patch:
        short = outcome(body)
        patch.setattr("lve.models.openai.wire._ordinary", lambda *_: None)
        assert outcome(body) == short


def test_an_image_becomes_a_part_beside_the_text() -> None:
    request = ChatRequest((Message("What is it?", image_url="https://x/y.png"),))
    assert chat_body("m", request)["messages"][0]["content"] == [
        {"type": "text", "text": "What is it?"},
        {"type": "image_url", "image_url": {"url": "https://x/y.png"}},
    ]


def test_an_image_joins_the_parts_that_are_there() -> None:
    parts = [{"type": "text", "text": "a"}]
    request = ChatRequest((Message(parts, image_url="u"), Message(None, image_url="v")))
    first, second = chat_body("m", request)["messages"]
    assert [p["type"] for p in first["content"]] == ["text", "image_url"]
    assert [p["type"] for p in second["content"]] == ["image_url"]


def test_a_streamed_request_asks_for_usage_too() -> None:
    body = chat_body("m", ChatRequest((Message("x"),), stream=True))
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize("value", [math.nan, math.inf, {1, 2}, b"bytes"])
def test_an_arg_that_is_not_json_is_refused_in_one_line(value: object) -> None:
    with pytest.raises(PermanentModelError, match="can't be sent as JSON"):
        encode({"seed": value})


def test_a_lone_surrogate_is_sent_as_an_escape() -> None:
    assert json.loads(encode({"content": "\ud800"})) == {"content": "\ud800"}


def test_an_answer_becomes_a_completion() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    body = answer({"role": "assistant", "content": "4"}, usage=usage)
    assert parse_chat(body, latency_s=0.5) == Completion(
        "4", finish_reason="stop", usage=Usage(3, 2), latency_s=0.5, model="served"
    )


@pytest.mark.parametrize(
    ("message", "finish", "text"),
    [
        ({"content": ""}, "stop", ""),
        ({"content": None, "refusal": "I can't."}, "stop", "I can't."),
        ({"content": "", "refusal": "No."}, "stop", "No."),
        ({"content": None, "tool_calls": [{"function": {"name": "f"}}]}, "tool_calls", ""),
        ({"content": [{"type": "text", "text": "a"}, {"text": "b"}]}, "stop", "ab"),
        ({"content": [{"text": None}, {"text": 1}, None, {"text": "b"}]}, "stop", "b"),
        ({"content": "", "refusal": ["No."]}, "stop", ""),
        ({"content": "Hm.", "tool_calls": [{"function": {"name": "f"}}]}, "tool_calls", "Hm."),
        ({"content": None}, "length", ""),
        ({"content": "cut"}, "length", "cut"),
    ],
)
def test_what_counts_as_the_text(message: dict[str, Any], finish: str, text: str) -> None:
    assert parse_chat(answer(message, finish)).text == text


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "malformed"),
        (b"<html>", "malformed"),
        (b"[]", "malformed"),
        (b'{"choices": [{"mess', "malformed"),
        (b"[" * 200_000, "malformed"),
        (b'{"choices": ' + b"[" * 200_000, "malformed"),
        (b'{"error": ' + DEEP + b"}", "server_error"),
        (b'{"choices": [{"message": {"refusal": ' + DEEP + b"}}]}", "empty"),
        (b'{"choices": [{"message": {"tool_calls": [{"a": ' + DEEP + b"}]}}]}", "empty"),
        (answer({"content": None, "tool_calls": 7}), "empty"),
        (answer({"content": None, "tool_calls": [1, {"id": "1"}]}), "empty"),
        (b"\xff", "malformed"),
        (b"{}", "empty"),
        (b'{"choices": []}', "empty"),
        (b'{"choices": null}', "empty"),
        (b'{"choices": "x"}', "malformed"),
        (b'{"choices": [1]}', "malformed"),
        (b'{"choices": [{}]}', "malformed"),
        (answer({"content": None}), "empty"),
        (answer({}), "empty"),
        (b'{"error": {"code": 503, "message": "busy"}}', "overloaded"),
    ],
)
def test_what_is_worth_another_try(body: bytes, kind: str) -> None:
    with pytest.raises(TransientModelError) as caught:
        parse_chat(body)
    assert caught.value.kind == kind


def test_what_is_no_json_is_told_by_its_beginning() -> None:
    with pytest.raises(TransientModelError) as caught:
        parse_chat(b"<html>" + b"x" * 5000)
    assert str(caught.value).endswith(f"not JSON, or cut short: '<html>{'x' * 54}'")


def test_a_filtered_answer_is_permanent() -> None:
    with pytest.raises(ContentFilteredError):
        parse_chat(answer({"content": "half an ans"}, "content_filter"))


def test_odd_usage_is_no_reason_to_lose_the_answer() -> None:
    assert parse_chat(answer({"content": "x"}, usage="many")).usage is None
    half = {"prompt_tokens": None, "completion_tokens": 3}
    assert parse_chat(answer({"content": "x"}, usage=half)).usage == Usage(0, 3)


@pytest.mark.parametrize("count", [-1, 1.5, "seven", 10**9 + 1, 10**300])
def test_a_budget_counts_with_the_worst_where_no_request_can_have_that_usage(count: Any) -> None:
    odd = {"prompt_tokens": 1, "completion_tokens": count}
    assert parse_chat(answer({"content": "x"}, usage=odd)).usage is None


def test_logprobs_are_kept_as_they_are() -> None:
    choice = {"message": {"content": "x"}, "logprobs": {"content": [{"token": "x"}]}}
    body = json.dumps({"choices": [choice]}).encode()
    assert parse_chat(body).logprobs == [{"token": "x"}]


def test_logprobs_that_can_not_be_kept_do_not_cost_the_answer() -> None:
    for logprobs in (b"7", b'{"content": 7}', b'{"content": [' + DEEP + b"]}"):
        body = b'{"choices": [{"message": {"content": "x"}, "logprobs": ' + logprobs + b"}]}"
        assert parse_chat(body).logprobs is None


KEYS = ["choices", "message", "content", "text", "refusal", "tool_calls", "function"]
KEYS += ["finish_reason", "usage", "error", "logprobs"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_no_json_breaks_the_parser(data: object) -> None:
    try:
        found = parse_chat(json.dumps(data).encode())
    except ModelError:
        return
    assert isinstance(found.text, str)
