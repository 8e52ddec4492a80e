"""Streamed responses that fail, or that differ between servers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from extensions.responses import responses_api
from extensions.responses.responses_api import HELLO, ask
from support.server import Raw, model_server

from lve import errors
from lve.models.chat_model import ChatRequest


def broken_off(asked: Mapping[str, Any]) -> Raw:
    whole = responses_api.response(asked, [responses_api.message("Hello")])
    return responses_api.stream(responses_api.events(whole)[:-1])


def error_event(asked: Mapping[str, Any]) -> Raw:
    whole = responses_api.response(asked, [responses_api.message("Hello")])
    event = {"type": "error", "code": "server_error", "message": "Sorry.", "param": None}
    return responses_api.stream([*responses_api.events(whole)[:3], event])


def gateways_error(asked: Mapping[str, Any]) -> Raw:
    return responses_api.stream([{"type": "x", "error": {"code": 429, "message": "Slow down."}}])


def no_object(asked: Mapping[str, Any]) -> Raw:
    return responses_api.stream([{"type": "response.completed", "response": 7}])


def endless(asked: Mapping[str, Any]) -> Raw:
    piece = {"type": "response.output_text.delta", "delta": "x" * 1024 * 1024}
    return responses_api.stream([piece] * 9)


@pytest.mark.parametrize(
    ("reply", "kind", "said"),
    [
        (broken_off, "malformed", "broke off"),
        (error_event, "server_error", "Sorry."),
        (gateways_error, "rate_limit", "Slow down."),
        (no_object, "malformed", "no object"),
        (endless, "malformed", "more than"),
    ],
)
def test_a_stream_that_fails_half_way_is_worth_another_try(
    reply: Any, kind: str, said: str
) -> None:
    with model_server(responses_api.strict(reply)) as server:
        with pytest.raises(errors.TransientModelError, match=said) as failed:
            ask(server, ChatRequest(HELLO.messages, stream=True))
        assert failed.value.kind == kind


def test_the_items_of_a_stream_count_where_the_last_event_has_none() -> None:
    def reply(asked: Mapping[str, Any]) -> Raw:
        whole = responses_api.response(asked, [responses_api.message("Hello")])
        frames = responses_api.events(whole)
        frames[-1] = {**frames[-1], "response": {**whole, "output": []}}
        return responses_api.stream(frames)

    with model_server(responses_api.strict(reply)) as server:
        assert ask(server, ChatRequest(HELLO.messages, stream=True)).text == "Hello"


def test_a_server_that_ignores_stream_is_understood() -> None:
    def reply(asked: Mapping[str, Any]) -> Raw:
        whole = responses_api.response(asked, [responses_api.message("Hello")])
        return Raw(responses_api.http(200, json.dumps(whole).encode()))

    with model_server(responses_api.strict(reply)) as server:
        assert ask(server, ChatRequest(HELLO.messages, stream=True)).text == "Hello"


def test_a_streamed_response_is_heard() -> None:
    heard: list[str] = []

    def reply(asked: Mapping[str, Any]) -> Raw:
        whole = responses_api.response(asked, [responses_api.message("Hello, my friend")])
        return responses_api.stream(responses_api.events(whole))

    with model_server(responses_api.strict(reply)) as server:
        request = ChatRequest(HELLO.messages, stream=True, listen=lambda: heard.append)
        assert ask(server, request).text == "".join(heard) == "Hello, my friend"
