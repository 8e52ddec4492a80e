"""Anthropic's Messages API, against a server that takes only what its official types allow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from support.official_types import anthropic_request, first_error
from support.strict_server import Asked
from support.wire_cases import KEY, cases, judge, names, play, read_case

from lve.extensions.anthropic.request_parts import messages_body
from lve.messages import Message

CASES = cases("anthropic")
OLDER_ARGS = ("temperature", "top_p", "top_k")
"""Models before Claude Opus 4.7 accept these; today's package no longer has them."""


def wrong_with_request(asked: Asked) -> str | None:
    if (asked.path, asked.method) != ("/v1/messages", "POST"):
        return f"no such path: {asked.path}"
    if asked.headers.get("x-api-key") != KEY or "authorization" in asked.headers:
        return "x-api-key: invalid"
    if asked.headers.get("anthropic-version") != "2023-06-01":
        return "anthropic-version: header is required"
    body = {name: value for name, value in asked.body.items() if name not in OLDER_ARGS}
    return first_error(anthropic_request(), body)


@pytest.mark.parametrize("path", CASES, ids=names(CASES))
def test_a_case(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_OF_A_TEST", KEY)
    case = read_case(path)
    server, got, told = play(case, "anthropic", wrong_with_request)
    judge(case, server, got)
    assert told == case.get("tells", [])


def test_an_empty_message_before_another_one_is_the_servers_to_refuse() -> None:
    assert messages_body([Message(""), Message("Hi")]) == [
        {"role": "user", "content": ""},
        {"role": "user", "content": "Hi"},
    ]


def answers() -> list[Any]:
    return [one for path in CASES for one in read_case(path).get("answers", ())]


def test_the_answers_of_the_cases_are_what_the_official_types_say() -> None:
    types = pytest.importorskip("anthropic.types", reason="pip install anthropic")
    pydantic = pytest.importorskip("pydantic")
    message = jsonschema_rs.validator_for(types.Message.model_json_schema())
    event_type = pydantic.TypeAdapter(types.RawMessageStreamEvent)
    stream_event = jsonschema_rs.validator_for(event_type.json_schema())
    bodies = [one["body"] for one in answers() if one.get("body", {}).get("type") == "message"]
    events = [event for one in answers() for event in one.get("events", ())]
    known = [event for event in events if event["type"] not in ("ping", "error", "new_kind")]
    assert len(bodies) > 5
    assert len(known) > 20
    assert [first_error(message, body) for body in bodies] == [None] * len(bodies)
    assert [first_error(stream_event, event) for event in known] == [None] * len(known)


def test_the_server_refuses_what_the_official_types_do_not_know() -> None:
    pytest.importorskip("anthropic", reason="pip install anthropic")
    body = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "Hi"}]}
    assert first_error(anthropic_request(), body) is None
    assert first_error(anthropic_request(), {**body, "seed": 1}) is not None
    for content in ([{"type": "text", "txt": "Hi"}], [{"type": "image", "source": {}}]):
        wrong = {**body, "messages": [{"role": "user", "content": content}]}
        assert first_error(anthropic_request(), wrong) is not None
