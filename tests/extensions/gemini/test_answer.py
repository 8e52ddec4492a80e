"""Malformed answers of Google's API."""

from __future__ import annotations

import json
import math
from contextlib import nullcontext, suppress
from typing import Any

import pytest
from hypothesis import given
from support.any_json import any_json

from lve.errors import ContentFilteredError, ModelError, TransientModelError
from lve.extensions.gemini.answer import parse_models
from lve.extensions.gemini.plugin import GeminiWire
from lve.messages import Usage
from lve.models.chat_model import wrong_with
from lve.models.http.json_body import MAX_DEPTH

KEYS = (
    *("candidates", "content", "parts", "text", "thought", "functionCall", "args", "name", "id"),
    *("finishReason", "promptFeedback", "blockReason", "logprobsResult", "chosenCandidates"),
)
WORDS = ("STOP", "SAFETY", "x")
USAGE_KEYS = ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")
WHOLE = {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}


def parse(data: Any) -> Any:
    return GeminiWire("m").parse(json.dumps(data).encode(), latency_s=0.1, secret=None)


@given(any_json(KEYS, WORDS), any_json(USAGE_KEYS, WORDS))
def test_whatever_comes_is_a_completion_or_an_error(part: Any, usage: Any) -> None:
    within = {"candidates": [{"content": {"parts": [part]}}]}
    for data in (part, {"candidates": [part]}, within, {**WHOLE, "usageMetadata": usage}):
        with suppress(ModelError):
            assert wrong_with(parse(data)) is None


@pytest.mark.parametrize(
    "usage",
    [{"promptTokenCount": -1}, {"candidatesTokenCount": 10**12}, {"thoughtsTokenCount": "five"}],
)
def test_an_impossible_usage_is_none(usage: Any) -> None:
    assert parse({**WHOLE, "usageMetadata": usage}).usage is None


def test_reasoning_with_a_number_that_json_lacks_is_not_sent_back() -> None:
    for odd, is_sent in ((1, True), (math.inf, False)):
        signed = {"functionCall": {"name": "f", "args": {"n": odd}}, "thoughtSignature": "s"}
        found = parse({"candidates": [{"content": {"parts": [signed]}, "finishReason": "STOP"}]})
        assert (found.provider_state is not None) is is_sent


def test_only_models_that_chat_are_listed() -> None:
    models = [
        {"name": "models/gemini-b", "supportedGenerationMethods": ["generateContent"]},
        {"name": "models/embed", "supportedGenerationMethods": ["embedContent"]},
        {"name": "models/gemini-a"},
        {"name": "models/gemini-c", "supportedGenerationMethods": 5},
        {"name": 5},
    ]
    body = json.dumps({"models": models}).encode()
    assert parse_models(body, secret=None) == ["gemini-a", "gemini-b", "gemini-c"]
    with pytest.raises(TransientModelError, match="a list of models was expected"):
        parse_models(b'{"data": []}', secret=None)


def test_every_kind_of_token_that_is_billed_is_counted() -> None:
    usage = {
        "promptTokenCount": 100,
        "toolUsePromptTokenCount": 30,
        "candidatesTokenCount": 7,
        "thoughtsTokenCount": 50,
        "cachedContentTokenCount": 20,
        "totalTokenCount": 187,
    }
    counted = Usage(130, 57, cached_tokens=20, reasoning_tokens=50)
    assert parse({**WHOLE, "usageMetadata": usage}).usage == counted
    assert parse({**WHOLE, "usageMetadata": {"toolUsePromptTokenCount": 30}}).usage == Usage(30, 0)
    impossible = {**usage, "toolUsePromptTokenCount": -1}
    assert parse({**WHOLE, "usageMetadata": impossible}).usage is None


def test_an_answer_without_a_reason_has_ended_by_itself_or_with_a_call() -> None:
    for part, reason in (({"text": "Hi"}, "stop"), ({"functionCall": {"name": "f"}}, "tool_calls")):
        assert parse({"candidates": [{"content": {"parts": [part]}}]}).finish_reason == reason


@pytest.mark.parametrize("reason", [None, "STOP", "MAX_TOKENS", "OTHER", "SAFETY", "NEW"])
@pytest.mark.parametrize("parts", [[], [{"text": ""}], [{"text": "Hi"}]], ids=str)
def test_only_an_answer_without_parts_for_an_unknown_reason_is_asked_for_again(
    parts: Any, reason: str | None
) -> None:
    data = {"candidates": [{"content": {"parts": parts}, "finishReason": reason}]}
    if reason == "SAFETY":
        with pytest.raises(ContentFilteredError, match="finishReason: SAFETY"):
            parse(data)
    elif reason == "OTHER" and not parts:
        with pytest.raises(TransientModelError, match="no content") as caught:
            parse(data)
        assert caught.value.kind == "empty"
    else:
        said = {None: "stop", "STOP": "stop", "MAX_TOKENS": "length"}
        completion = parse(data)
        assert completion.text == "".join(part["text"] for part in parts)
        assert completion.finish_reason == said.get(reason, str(reason).lower())


@pytest.mark.parametrize("parts", [None, "Hi", 3, {"text": "Hi"}, True])
def test_parts_that_are_no_list_are_no_answer(parts: Any) -> None:
    with pytest.raises(ModelError, match="the parts of the answer are not a list"):
        parse({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]})


@pytest.mark.parametrize(("levels", "is_read"), [(MAX_DEPTH // 2, True), (MAX_DEPTH, False)])
def test_parts_are_read_to_a_depth(levels: int, is_read: bool) -> None:
    deep: Any = "x"
    for _ in range(levels):
        deep = [deep]
    data = {"candidates": [{"content": {"parts": [{"a": deep}]}, "finishReason": "STOP"}]}
    with nullcontext() if is_read else pytest.raises(ModelError):
        parse(data)
