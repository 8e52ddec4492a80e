"""What is read of an endpoint's answers."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from support.any_json import any_json

from lve.errors import ModelError, PermanentModelError, TransientModelError
from lve.extensions.targets.http.answers import AnswerReader
from lve.models.chat_model import wrong_with

ALL = {
    "answer": "$.a",
    "contexts": "$.c[*]",
    "tool_calls": "$.t",
    "usage": "$.u",
    "cost": "$.d",
    "metadata": {"m": "$.m"},
    "session_id": "$.s",
    "finish_reason": "$.f",
}


def read(options: dict[str, Any], body: bytes) -> Any:
    return AnswerReader(options, "here").reply(body)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"plain", "plain"),
        (b'"in JSON"', "in JSON"),
        (b'{"a": 1}', '{"a": 1}'),
        (b'"open', '"open'),
    ],
)
def test_without_paths_the_body_is_the_answer(body: bytes, text: str) -> None:
    assert read({}, body).text == text


@pytest.mark.parametrize(
    ("value", "text"), [("x", "x"), (7, "7"), (True, "true"), ({"b": ["ü"]}, '{"b": ["ü"]}')]
)
def test_an_answer_of_another_type_is_its_json(value: object, text: str) -> None:
    assert read({"answer": "$.a"}, json.dumps({"a": value}).encode()).text == text


def test_texts_of_several_places_are_joined() -> None:
    body = b'{"p": [{"t": "Par"}, {"u": 1}, {"t": "is"}]}'
    assert read({"answer": "$.p[*].t"}, body).text == "Paris"


def test_without_a_path_to_it_the_text_is_the_whole_body() -> None:
    reply = read({"contexts": "$.c"}, b'{"c": ["x"]}')
    assert (reply.text, reply.contexts) == ('{"c": ["x"]}', ("x",))


def test_what_is_not_there_is_left_out() -> None:
    reply = read(ALL, b'{"a": "x"}')
    assert reply.contexts == ()
    assert (reply.usage, reply.metadata, reply.session) == (None, None, None)


def test_an_answer_that_is_cut_short_may_be_whole_the_next_time() -> None:
    with pytest.raises(TransientModelError, match="cut short"):
        read(ALL, b'{"a": "x')


def test_a_long_answer_is_not_shown_whole() -> None:
    with pytest.raises(PermanentModelError) as error:
        read({"answer": "$.none"}, json.dumps({"a": "x" * 10_000}).encode())
    assert len(str(error.value)) < 500


def test_the_parts_of_an_event_are_found_apart() -> None:
    reader = AnswerReader(ALL, "here")
    assert reader.beside({"a": "whole"}) == ("whole", {})
    assert reader.beside({"s": 1, "m": 2}) == (None, {"session": "1", "metadata": {"m": 2}})


@given(any_json(tuple("actudmsf"), ("prompt_tokens", "name", "text")))
def test_whatever_comes_is_a_reply_or_an_error(value: Any) -> None:
    with suppress(ModelError):
        reply = read(ALL, json.dumps(value).encode())
        made = reply.completion(model="m", latency_s=0.1, first_token_s=None, state=None)
        assert wrong_with(made) is None
