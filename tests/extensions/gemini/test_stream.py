"""Malformed streams of Google's API."""

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
from lve.extensions.gemini.answer import ContentAccumulator
from lve.extensions.gemini.plugin import GeminiWire
from lve.messages import Completion
from lve.models.chat_model import wrong_with
from lve.models.http.events import EventReader

KEYS = (
    "candidates",
    "content",
    "parts",
    "text",
    "thought",
    "functionCall",
    "error",
    "usageMetadata",
)
END = {"candidates": [{"finishReason": "STOP"}]}


def read(events: Iterable[Any]) -> Completion:
    reader = EventReader(ContentAccumulator, GeminiWire("m").parse)
    for event in events:
        reader.feed(f"data: {json.dumps(event)}\r\n\r\n".encode())
    return reader.completion(latency_s=0.1)


def piece(**part: Any) -> Any:
    return {"candidates": [{"content": {"parts": [part]}}]}


@given(st.lists(any_json(KEYS, ("STOP", "x")), max_size=4))
def test_whatever_comes_is_a_completion_or_an_error(events: list[Any]) -> None:
    for all_events in (events, [*events, END], [*map(piece_of, events), END]):
        with suppress(ModelError):
            assert wrong_with(read(all_events)) is None


def piece_of(part: Any) -> Any:
    return {"candidates": [{"content": {"parts": [part]}}]}


def test_a_signed_text_is_a_part_of_its_own() -> None:
    events = [piece(text="a"), piece(text="b"), piece(text="c", thoughtSignature="S="), END]
    completion = read(events)
    assert completion.text == "abc"
    parts = [{"text": "ab"}, {"text": "c", "thoughtSignature": "S="}]
    assert completion.provider_state == {"api": "gemini", "parts": parts}


def test_an_answer_has_a_limited_number_of_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.models.http.answers.MAX_PARTS", 2)
    calls = [piece(functionCall={"name": name}) for name in "abc"]
    with pytest.raises(TransientModelError, match="more than 2 parts"):
        read([*calls, END])
