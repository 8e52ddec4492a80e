"""Malformed streams of Bedrock."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.any_json import any_json

from lve.errors import ModelError, TransientModelError
from lve.extensions.bedrock.answer import ConverseAccumulator, parse_converse
from lve.models.chat_model import wrong_with
from lve.models.http.events import EventReader

KEYS = (
    *("output", "message", "content", "text", "toolUse", "input", "reasoningContent", "stopReason"),
    *("reasoningText", "usage", "contentBlockIndex", "contentBlockStart", "contentBlockDelta"),
    *("delta", "start", "messageStop", "metadata"),
)
WORDS = ("end_turn", "tool_use", "content_filtered", "x")
END = {"messageStop": {"stopReason": "end_turn"}}


def read(events: list[Any]) -> Any:
    reader = EventReader(ConverseAccumulator, parse_converse)
    for event in events:
        reader.feed(b"data: %b\n\n" % json.dumps(event).encode())
    return reader.completion(latency_s=0.1)


@given(st.lists(any_json(KEYS, WORDS), max_size=4))
def test_nor_does_any_stream_break_it(events: list[Any]) -> None:
    for all_events in (events, [*events, END]):
        with suppress(ModelError):
            assert wrong_with(read(all_events)) is None


def test_an_answer_has_a_limited_number_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.models.http.answers.MAX_PARTS", 2)
    blocks = [{"contentBlockStart": {"contentBlockIndex": n, "start": {}}} for n in range(3)]
    with pytest.raises(TransientModelError, match="more than 2 blocks"):
        read([*blocks, END])
