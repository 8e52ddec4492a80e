"""Bedrock's Converse API through boto3, against a server that takes only what AWS's service model
allows."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from support.event_stream import event_stream
from support.official_types import wrong_with_converse
from support.strict_server import Answered, Asked, StrictServer, strict_server
from support.wire_cases import cases, judge, names, read_case, request_of

from lve.errors import AdjustedRequestError, ModelError
from lve.messages import Completion
from lve.models.registry import create_model
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

CASES = cases("bedrock")
PATH = re.compile(r"/model/([^/]+)/converse(-stream)?")


def wrong_with_request(asked: Asked) -> str | None:
    found = PATH.fullmatch(asked.path)
    if found is None:
        return f"no such path: {asked.path}"
    signature = asked.headers.get("authorization", "")
    if not signature.startswith("AWS4-HMAC-SHA256 Credential=AKIAOFTHISTEST/"):
        return "Missing Authentication Token"
    body = {"modelId": unquote(found[1]), **asked.body}
    return wrong_with_converse(body, "ConverseStream" if found[2] else "Converse")


def answered(one: Mapping[str, Any]) -> Answered:
    if "events" in one:
        kind = {"Content-Type": "application/vnd.amazon.eventstream"}
        return Answered(200, event_stream(one["events"]), kind)
    headers = {"Content-Type": "application/json", **one.get("headers", {})}
    return Answered(one.get("status", 200), json.dumps(one["body"]).encode(), headers)


def play(
    case: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> tuple[StrictServer, Completion | ModelError, list[str]]:
    told: list[str] = []
    answers = [answered(one) for one in case.get("answers", ())] or [Answered(500, b"{}")]
    with strict_server(wrong_with_request, answers) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url)
        name = f"bedrock/{case['model']}"
        entry = ModelSettings(provider="bedrock", **case.get("settings", {}))
        model = create_model(name, Settings(models={name: entry}), tell=told.append)

        async def ask() -> Completion | ModelError:
            try:
                for _ in range(5):
                    try:
                        return await model.complete(request_of(case))
                    except AdjustedRequestError:
                        continue
                    except ModelError as error:
                        return error
                raise AssertionError("the model never stops adjusting its requests")
            finally:
                await model.aclose()

        return server, asyncio.run(ask()), told


@pytest.mark.parametrize("path", CASES, ids=names(CASES))
def test_a_case(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = read_case(path)
    server, got, told = play(case, monkeypatch)
    judge(case, server, got)
    assert told == case.get("tells", [])
    if server.requests:
        asked = server.requests[-1]
        wanted = "converse-stream" if case.get("stream") else "converse"
        assert unquote(asked.path) == f"/model/{case['model']}/{wanted}"


def test_the_answers_of_the_cases_are_what_the_service_model_says() -> None:
    answers = [one for path in CASES for one in read_case(path).get("answers", ())]
    bodies = [one["body"] for one in answers if "output" in one.get("body", {})]
    events = [event for one in answers for event in one.get("events", ())]
    known = [event for event in events if not next(iter(event)).endswith("Exception")]
    assert len(bodies) > 5
    assert len(known) > 10
    for operation, values in (
        ("Converse", bodies),
        ("ConverseStream", [{"stream": event} for event in known]),
    ):
        assert [wrong_with_converse(value, operation, "output_shape") for value in values] == [
            None
        ] * len(values)


def test_the_server_refuses_what_the_service_model_does_not_know() -> None:
    body = {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "Hi"}]}]}
    assert wrong_with_converse(body) is None
    assert wrong_with_converse({**body, "inferenceConfig": {"seed": 1}}) is not None
