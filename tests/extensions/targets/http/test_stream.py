"""Streams of events, in pieces of any size."""

from __future__ import annotations

from typing import Any

import pytest

from lve.errors import ModelError, TransientModelError
from lve.extensions.targets.http.answers import AnswerReader
from lve.extensions.targets.http.stream import MAX_EVENT_BYTES, StreamFormat, StreamReader
from lve.extensions.targets.reply import Reply

SSE = {"format": "sse", "text": "$.d"}
LINES = {"format": "ndjson", "text": "$.d"}


def read(stream: dict[str, Any], data: bytes, size: int = 1 << 20, **options: Any) -> Reply:
    form = StreamFormat(stream, "here")
    reader = StreamReader(form, AnswerReader(options, "here"), lambda text: None)
    for start in range(0, len(data), size):
        reader.feed(data[start : start + size])
    return reader.reply()


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_pieces_and_line_ends_make_no_difference(size: int, end: bytes) -> None:
    lines = [b'data: {"d": "a"}', b"", b"event: x", b"data:{", b'data: "d": "b"}', b"", b": c", b""]
    assert read(SSE, end.join(lines), size).text == "ab"
    objects = [b'{"d": "a"}', b"", b'{"x": 1}', b'{"d": "b"}']
    assert read(LINES, end.join(objects), size).text == "ab"


def test_the_last_event_needs_no_blank_line() -> None:
    assert read(SSE, b'data: {"d": "a"}').text == "a"


def test_the_last_event_with_a_field_counts_and_all_calls_do() -> None:
    events = (
        b'{"c": ["x"], "t": [{"name": "f"}]}\n{"c": ["y"], "t": [{"name": "g"}], "s": 1}\n'
        b'{"d": "done"}\n'
    )
    paths = {"contexts": "$.c", "tool_calls": "$.t", "session_id": "$.s"}
    reply = read(LINES, events, **paths)
    assert reply.contexts == ("y",)
    assert [call.name for call in reply.tool_calls] == ["f", "g"]
    assert (reply.text, reply.session) == ("done", "1")


def test_a_stream_may_have_the_whole_answer_at_its_end() -> None:
    events = b'{"step": 1}\n{"answer": "Paris"}\n'
    assert read(LINES, events, answer="$.answer").text == "Paris"


def test_nothing_counts_after_the_end_that_the_settings_name() -> None:
    data = b'data: {"d": "a"}\n\ndata: END\n\ndata: {"d": "b"}\n\n'
    assert read({**SSE, "done": "END"}, data).text == "a"


@pytest.mark.parametrize(
    "data",
    [
        b"data: {\n\n",
        b"data: " + b"x" * (MAX_EVENT_BYTES + 10),
        b"data: x\n" * (MAX_EVENT_BYTES // 2),
        b"",
    ],
)
def test_a_stream_that_can_not_be_read_is_an_error(data: bytes) -> None:
    with pytest.raises(TransientModelError):
        read(SSE, data, 100_000)


def test_text_that_is_no_text_is_its_json() -> None:
    assert read(LINES, b'{"d": 1}\n{"d": null}\n{"d": [2]}').text == "1[2]"
    with pytest.raises(ModelError, match="not JSON"):
        read(LINES, b"nothing")
