"""Server-sent events: parsed in batches, or at once if somebody listens."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from lve.errors import TransientModelError
from lve.models.http.events import OVER_S, EventReader
from lve.models.openai.apis import ChatAccumulator
from lve.models.openai.wire import parse_chat


def event(text: str) -> bytes:
    chunk: Mapping[str, Any] = {"choices": [{"index": 0, "delta": {"content": text}}]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


class Counting(ChatAccumulator):
    """Counts the events that it gets."""

    added = 0

    def add(self, chunk: Mapping[str, Any]) -> None:
        type(self).added += 1
        super().add(chunk)


@pytest.fixture(autouse=True)
def _from_nothing() -> None:
    Counting.added = 0


def test_events_behind_the_first_text_wait_for_others() -> None:
    reader = EventReader(Counting, parse_chat)
    for text in ("a", "b", "c"):
        reader.feed(event(text))
    assert Counting.added == 1, "so that parsing takes a third of the time"
    reader.feed(b"data: [DONE]\n\n")
    assert reader.completion(latency_s=1.0).text == "abc"


def test_who_listens_waits_for_none() -> None:
    heard: list[str] = []
    reader = EventReader(Counting, parse_chat, heard.append)
    for number, text in enumerate(("a", "b", "c"), 1):
        reader.feed(event(text)[:9])
        reader.feed(event(text)[9:])
        assert Counting.added == len(heard) == number
    assert heard == ["a", "b", "c"]


def test_a_broken_event_is_not_heard() -> None:
    heard: list[str] = []
    reader = EventReader(Counting, parse_chat, heard.append)
    with pytest.raises(TransientModelError, match="not JSON"):
        reader.feed(b"data: {nonsense\n\n")
    assert heard == []


def test_an_event_without_data_keeps_the_connection_alive() -> None:
    reader = EventReader(Counting, parse_chat)
    for data in (b"data:\n\n", event("a"), b"data: \n\n", event("b"), b"data: [DONE]\n\n"):
        reader.feed(data)
    assert reader.completion(latency_s=1.0).text == "ab"
    assert Counting.added == 2


def test_an_answer_that_is_not_streamed_is_read_as_a_whole() -> None:
    heard: list[str] = []
    reader = EventReader(Counting, parse_chat, heard.append)
    message = {"role": "assistant", "content": "Hello"}
    reader.feed(json.dumps({"choices": [{"message": message}]}).encode())
    assert reader.completion(latency_s=1.0).text == "Hello"
    assert heard == []


@pytest.mark.parametrize(
    ("data", "added"),
    [
        (event("b"), 1),
        (b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n', 3),
        (b"data: [DONE]\n\n", 2),
        (b"data:\n\n", 1),
    ],
)
def test_what_may_complete_the_answer_is_read_at_once(data: bytes, added: int) -> None:
    reader = EventReader(Counting, parse_chat)
    reader.feed(event("a"))
    reader.feed(event("b"))
    assert Counting.added == 1
    reader.feed(data)
    assert Counting.added == added


def test_nothing_is_waited_for_behind_an_error() -> None:
    reader = EventReader(Counting, parse_chat)
    assert reader.feed(event("a")) is None
    wait_s = reader.feed(b'event: error\ndata: {"error": {"message": "no more memory"}}\n\n')
    assert wait_s == pytest.approx(OVER_S)
    with pytest.raises(TransientModelError, match="no more memory"):
        reader.completion(latency_s=1.0)
