"""Malformed answers of Anthropic's API."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from support.any_json import any_json

from lve.errors import ModelError, TransientModelError
from lve.extensions.anthropic.plugin import AnthropicWire
from lve.models.chat_model import wrong_with

KEYS = ("type", "content", "text", "thinking", "id", "name", "input", "stop_reason", "stop_details")
WORDS = ("text", "thinking", "tool_use", "end_turn", "refusal", "redacted_thinking")
USAGE_KEYS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "output_tokens_details")
WHOLE = {"content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}


def parse(data: Any) -> Any:
    return AnthropicWire("m").parse(json.dumps(data).encode(), latency_s=0.1, secret=None)


@given(any_json(KEYS, WORDS), any_json(USAGE_KEYS, ("x",)))
def test_whatever_comes_is_a_completion_or_an_error(content: Any, usage: Any) -> None:
    for data in (content, {**WHOLE, "content": [content]}, {**WHOLE, "usage": usage}):
        with suppress(ModelError):
            assert wrong_with(parse(data)) is None


@pytest.mark.parametrize(
    "usage",
    [
        {"input_tokens": -1, "output_tokens": 1},
        {"input_tokens": 10**9, "cache_read_input_tokens": 10**9, "output_tokens": 1},
        {"input_tokens": "five", "output_tokens": 1},
        [],
    ],
)
def test_an_impossible_usage_is_none(usage: Any) -> None:
    assert parse({**WHOLE, "usage": usage}).usage is None


def test_more_thoughts_than_tokens_are_not_counted() -> None:
    details = {"thinking_tokens": 9}
    usage = {"input_tokens": 5, "output_tokens": 3, "output_tokens_details": details}
    assert parse({**WHOLE, "usage": usage}).usage.reasoning_tokens == 0


def test_reasoning_with_a_number_that_json_lacks_is_not_sent_back() -> None:
    thinking = {"type": "thinking", "thinking": "x", "signature": "s"}
    assert parse({**WHOLE, "content": [thinking]}).provider_state is not None
    assert parse({**WHOLE, "content": [{**thinking, "odd": math.nan}]}).provider_state is None


@pytest.mark.parametrize("changed", [{"content": "Hi"}, {"content": None}, {"stop_reason": None}])
def test_what_is_no_message_is_tried_again(changed: Any) -> None:
    with pytest.raises(TransientModelError) as caught:
        parse({**WHOLE, **changed})
    assert caught.value.kind == "malformed"


@pytest.mark.parametrize("content", [None, "Hi", 3, {"type": "text", "text": "Hi"}])
def test_contents_that_are_no_list_are_no_answer(content: Any) -> None:
    with pytest.raises(TransientModelError, match="the message has no list of contents"):
        parse({**WHOLE, "content": content})


@pytest.mark.parametrize("reason", [None, 3, ["end_turn"], {}])
def test_an_answer_without_the_reason_of_its_end_is_none(reason: Any) -> None:
    with pytest.raises(TransientModelError, match="the message has no stop_reason"):
        parse({**WHOLE, "stop_reason": reason})
