"""Whatever bytes a server sends, the result is a completion or a model error."""

from __future__ import annotations

import json
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st
from support.answer_bytes import answer_to_wire, parse_everything
from support.hostile_server import CHUNKED, chat, chunk, event, head, whole

from lve.errors import ModelError

PIECES = [
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n",
    b"HTTP/1.0 500 \r\n",
    b"Content-Length: 5\r\n",
    b"Content-Length: 0\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Content-Encoding: gzip\r\n",
    b"Connection: close\r\n",
    b"Upgrade: x\r\nConnection: upgrade\r\n",
    b"\r\n",
    b"5\r\nhello\r\n",
    b"0\r\n\r\n",
    b"hello",
    b"\x1f\x8b\x08\x00",
    b"\x00",
    b" ",
]


@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=4)), st.lists(st.integers(0, 99)))
def test_any_wire_is_an_answer_or_an_error(pieces: list[bytes], cuts: list[int]) -> None:
    with suppress(ModelError):
        answer_to_wire(b"".join(pieces), cuts=cuts)


@given(st.lists(st.integers(0, 200)))
def test_it_does_not_matter_where_the_network_cuts(cuts: list[int]) -> None:
    data = head(CHUNKED) + chunk(b"abc") + chunk(b"defgh") + b"0\r\nX-Trailer: y\r\n\r\n"
    response = answer_to_wire(data, cuts=cuts)
    assert (response.body, "x-trailer" in response.headers) == (b"abcdefgh", False)


NAMES = [
    *("choices", "message", "content", "delta", "text", "logprobs", "tokens", "token_logprobs"),
    *("text_offset", "data", "embedding", "index", "error", "code", "usage", "prompt_tokens"),
    *("tool_calls", "function", "arguments", "finish_reason"),
    *("reasoning", "reasoning_content", "thinking", "type", "status", "name", "call_id"),
    *("output", "summary", "encrypted_content", "phase", "incomplete_details", "reason"),
    *("input_tokens", "output_tokens", "output_tokens_details", "reasoning_tokens"),
]
TYPES = [
    *("message", "reasoning", "function_call", "output_text", "summary_text", "refusal"),
    *("response.completed", "response.output_item.done", "error", "failed", "incomplete"),
]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from(TYPES),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(NAMES),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_an_answer_or_an_error(value: object) -> None:
    body = json.dumps(value).encode()
    parse_everything(body)
    parse_everything(b"data: " + body + b"\n\ndata: [DONE]\n\n")
    parse_everything(json.dumps({"choices": [value]}).encode())
    parse_everything(json.dumps({"output": [value], "status": "completed"}).encode())
    done = json.dumps({"type": "response.output_item.done", "item": value, "output_index": 0})
    over = json.dumps({"type": "response.completed", "response": value})
    parse_everything(f"data: {done}\n\ndata: {over}\n\n".encode())


@given(st.binary(max_size=40))
def test_any_bytes_are_an_answer_or_an_error(body: bytes) -> None:
    parse_everything(body)
    parse_everything(b"data: " + body + b"\ndata: [DONE]\n")


def test_the_second_answer_to_one_request_is_nobodys() -> None:
    assert answer_to_wire(whole(chat("mine")) + whole(chat("another's"))).status == 200
    assert b"another" not in answer_to_wire(whole(chat("mine")) + whole(chat("another's"))).body


def test_events_are_read_as_they_come() -> None:
    seen: list[bytes] = []
    data = head(CHUNKED) + chunk(event({"content": "x"})) + b"0\r\n\r\n"
    assert answer_to_wire(data, on_data=seen.append).body == b""
    assert b"".join(seen) == event({"content": "x"})
