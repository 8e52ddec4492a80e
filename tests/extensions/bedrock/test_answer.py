"""Malformed answers of Bedrock."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from extensions.bedrock.test_stream import KEYS, WORDS
from hypothesis import given
from support.any_json import any_json

from lve.errors import ContentFilteredError, ModelError
from lve.extensions.bedrock.answer import parse_converse
from lve.models.chat_model import wrong_with


@given(any_json(KEYS, WORDS), any_json(("inputTokens", "outputTokens"), WORDS))
def test_whatever_comes_is_a_completion_or_an_error(block: Any, usage: Any) -> None:
    message = {"content": [block]}
    whole = {"output": {"message": message}, "stopReason": "end_turn", "usage": usage}
    for data in (block, whole):
        with suppress(ModelError):
            body = json.dumps(data).encode()
            assert wrong_with(parse_converse(body, latency_s=0.1, secret=None)) is None


def parsed(content: Any, reason: Any) -> Any:
    body = json.dumps({"output": {"message": {"content": content}}, "stopReason": reason})
    return parse_converse(body.encode(), latency_s=0.1, secret=None)


@pytest.mark.parametrize("content", [None, "Hi", 3, {"text": "Hi"}])
def test_contents_that_are_no_list_are_no_answer(content: Any) -> None:
    with pytest.raises(ModelError, match="the message has no list of contents"):
        parsed(content, "end_turn")


@pytest.mark.parametrize("reason", [None, 3, ["end_turn"], {}])
def test_an_answer_without_the_reason_of_its_end_is_none(reason: Any) -> None:
    with pytest.raises(ModelError, match="the message has no stopReason"):
        parsed([{"text": "Hi"}], reason)


@pytest.mark.parametrize(
    ("reason", "is_held_back"),
    [
        *(("content_filtered", True), ("guardrail_intervened", True)),
        *(("end_turn", False), ("max_tokens", False), ("something_new", False)),
    ],
)
def test_what_the_provider_holds_back_is_no_answer(reason: str, is_held_back: bool) -> None:
    if is_held_back:
        with pytest.raises(ContentFilteredError, match=f"stopReason: {reason}"):
            parsed([{"text": "Hi"}], reason)
    else:
        assert parsed([{"text": "Hi"}], reason).text == "Hi"
