"""What an application answers."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from support.any_json import any_json

from lve.errors import ModelError, PermanentModelError, TransientModelError
from lve.extensions.targets.reply import KEYS, MAX_CONTEXTS, MAX_METADATA_CHARS, reply_from
from lve.messages import ToolCall, Usage
from lve.models.chat_model import wrong_with
from lve.models.http.answers import MAX_CALLS


def test_an_answer_may_have_everything() -> None:
    reply = reply_from(
        {
            "text": "Hi",
            "contexts": ["a", {"page_content": "b", "metadata": {}}, {"text": "c"}],
            "tool_calls": [
                {"name": "f", "arguments": {"x": 1}},
                {"id": "1", "type": "function", "function": {"name": "g", "arguments": "{}"}},
            ],
            "usage": {"input_tokens": 3, "output_tokens": 2},
            "cost": 1,
            "metadata": {"route": ["a"]},
            "session": 7,
            "finish_reason": "length",
        }
    )
    assert reply.contexts == ("a", "b", "c")
    assert reply.tool_calls == (ToolCall("", "f", '{"x": 1}'), ToolCall("1", "g", "{}"))
    assert (reply.usage, reply.cost, reply.session) == (Usage(3, 2), 1.0, "7")
    completion = reply.completion(model="m", latency_s=0.5, first_token_s=None, state=None)
    assert wrong_with(completion) is None
    assert (completion.finish_reason, completion.metadata) == ("length", {"route": ["a"]})


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (None, "not null"),
        (["a"], "not a list"),
        ({"txt": "a"}, "did you mean `text`"),
        ({"text": "a", "context": []}, "did you mean `contexts`"),
        ({}, "no `text`"),
        ({"text": None}, "null"),
        ({"text": "a", "contexts": [1]}, "a context is a text"),
        ({"text": "a", "contexts": ["b"] * (MAX_CONTEXTS + 1)}, "contexts"),
        ({"text": "a", "tool_calls": "f"}, "not a text"),
        ({"text": "a", "tool_calls": [{}]}, "a tool call is"),
        ({"text": "a", "tool_calls": [{"name": "f"}] * (MAX_CALLS + 1)}, "tools at once"),
        ({"text": "a", "usage": 7}, "`usage` is an object"),
        ({"text": "a", "usage": {"tokens": 7}}, "whole numbers"),
        ({"text": "a", "usage": {"prompt_tokens": -1}}, "whole numbers"),
        ({"text": "a", "cost": "1"}, "a number of US dollars"),
        ({"text": "a", "cost": -1}, "from 0"),
        ({"text": "a", "cost": math.nan}, "from 0"),
        ({"text": "a", "cost": True}, "not true or false"),
        ({"text": "a", "metadata": []}, "`metadata` is an object"),
        ({"text": "a", "metadata": {"n": math.inf}}, "infinity"),
        ({"text": "a", "metadata": {"t": "x" * MAX_METADATA_CHARS}}, "characters"),
        ({"text": "a", "session": {}}, "a session's id"),
    ],
)
def test_what_is_wrong_is_said(value: Any, why: str) -> None:
    with pytest.raises(PermanentModelError, match=why):
        reply_from(value)


def test_deep_metadata_is_refused() -> None:
    deep: Any = {}
    for _ in range(100):
        deep = {"a": deep}
    with pytest.raises(PermanentModelError, match="nested too deeply"):
        reply_from({"text": "a", "metadata": deep})


def test_an_application_states_its_errors() -> None:
    with pytest.raises(PermanentModelError, match="no such city") as permanent:
        reply_from({"error": "no such city"})
    assert permanent.value.kind == "application"
    with pytest.raises(TransientModelError, match="busy"):
        reply_from({"error": "busy", "retry": True})


@given(any_json(KEYS, ("text", "f", "name", "arguments", "prompt_tokens")))
def test_whatever_comes_is_a_reply_or_an_error(value: Any) -> None:
    with suppress(ModelError):
        reply = reply_from(value)
        completion = reply.completion(model="m", latency_s=0.1, first_token_s=None, state=None)
        assert wrong_with(completion) is None
