"""The endpoint and the credentials of a model on Bedrock."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from support import command_line
from support.folders import write_test
from support.spelled_keys import SPELLINGS, parts, parts_in
from support.strict_server import Answered, Asked, strict_server

from lve.errors import (
    MissingKeyError,
    ModelError,
    PermanentModelError,
    SettingsError,
    TransientModelError,
    UsageError,
)
from lve.messages import Message
from lve.models.chat_model import ChatRequest
from lve.models.http.failures import MAX_MESSAGE_CHARS
from lve.models.known_models import known_model, price_of
from lve.models.registry import create_model, provider_of
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

NAME = "bedrock/eu.amazon.nova-lite-v1:0"
ANSWER = {
    "output": {"message": {"role": "assistant", "content": [{"text": "Hello!"}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 5, "outputTokens": 2, "totalTokens": 7},
    "metrics": {"latencyMs": 1},
}


def identity(**settings: Any) -> dict[str, Any]:
    entry = ModelSettings(provider="bedrock", **settings)
    return dict(create_model(NAME, Settings(models={NAME: entry})).identity or {})


def ask(timeout_s: float = 5) -> ModelError:
    """Return the error of a request."""
    model = create_model(NAME, Settings())

    async def complete() -> None:
        try:
            await model.complete(ChatRequest((Message("Hi"),), timeout_s=timeout_s))
        finally:
            await model.aclose()

    with pytest.raises(ModelError) as caught:
        asyncio.run(complete())
    return caught.value


def test_the_region_is_that_of_the_settings_or_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert identity()["base_url"] == "https://bedrock-runtime.eu-central-1.amazonaws.com"
    monkeypatch.setenv("AWS_REGION", "us-west-2")
    assert "us-west-2" in identity()["base_url"]
    assert "eu-north-1" in identity(options={"region": "eu-north-1"})["base_url"]
    assert identity()["model"] == "eu.amazon.nova-lite-v1:0"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"base_url": "https://evil.example"}, "take base_url and api_key_env out"),
        ({"api_key_env": "AWS_SECRET_ACCESS_KEY"}, "take base_url and api_key_env out"),
        ({"options": {"endpoint": "x"}}, r"unknown option 'endpoint' \(known: profile, region\)"),
        ({"options": {"region": 5}}, r"options\.region must be a name"),
    ],
)
def test_settings_name_neither_a_server_nor_a_key(settings: Any, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        identity(**settings)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingKeyError, match="profile"):
        identity(options={"profile": "nobodys"})
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    with pytest.raises(MissingKeyError, match="needs a region: set AWS_REGION"):
        identity()
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(MissingKeyError, match=r"pip install 'lve\[bedrock\]'"):
        identity()


def test_without_keys_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    error = ask()
    assert (type(error), error.kind, error.was_sent) == (
        PermanentModelError,
        "authentication",
        False,
    )
    assert "AWS_PROFILE" in str(error)


def test_a_server_that_is_not_there_is_worth_another_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "http://127.0.0.1:9")
    error = ask()
    assert (error.kind, error.was_sent) == ("unreachable", False)


def test_a_base_url_names_another_server() -> None:
    assert provider_of(NAME, Settings(), base_url="http://localhost:1/v1") == "openai"
    there = Settings(models={"b": ModelSettings(provider="bedrock")})
    with pytest.raises(UsageError, match="AWS_ENDPOINT_URL_BEDROCK_RUNTIME"):
        create_model("b", there, base_url="http://localhost:1/v1")


def test_bedrocks_ids_are_known() -> None:
    known = known_model("bedrock/eu.anthropic.claude-sonnet-5-5", Settings())
    assert known is not None
    assert "temperature" in known.refuses
    assert price_of("bedrock/eu.anthropic.claude-sonnet-5-5", Settings()) is None
    price = price_of("bedrock/global.anthropic.claude-opus-4-8-v1:0", Settings())
    assert price is not None
    assert price.output == 25


def test_a_run_needs_nothing_but_aws_settings(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_test(root / "hello")
    said = Answered(200, json.dumps(ANSWER).encode(), {"Content-Type": "application/json"})
    with strict_server(lambda _: None, [said]) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url)
        code, out, _ = command_line.call("run", root, "--model", NAME, "--json")
    assert not code
    (instance,) = json.loads(out)["tests"][0]["instances"]
    assert instance["verdict"] == "passed"
    assert "secret-of-this-test-only" not in str(server.requests)


def test_the_account_says_which_models_it_has(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = {"modelSummaries": [{"modelArn": "a", "modelId": "amazon.nova-lite-v1:0"}]}
    profile = {"inferenceProfileId": "eu.amazon.nova-lite-v1:0"}
    answers = [
        Answered(200, json.dumps(body).encode(), {"Content-Type": "application/json"})
        for body in (models, {"inferenceProfileSummaries": [profile]})
    ]
    with strict_server(lambda _: None, answers) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK", server.url)
        code, out, _ = command_line.call("models", "offered", "bedrock")
    assert not code
    names = ["bedrock/amazon.nova-lite-v1:0", "bedrock/eu.amazon.nova-lite-v1:0"]
    assert out.splitlines() == names
    assert server.requests[0].path == "/foundation-models?byOutputModality=TEXT"


@pytest.mark.parametrize("is_in_file", [True, False], ids=["file", "variable"])
@pytest.mark.parametrize("spelling", ["as it is", "reversed", "HTML", "base64 after 1 bytes"])
def test_an_error_that_says_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spelling: str, is_in_file: bool
) -> None:
    """AWS says it where lve cuts the message; and boto3 may have found the key in a file."""
    key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzz1"
    monkeypatch.setattr("lve.secrets.redaction._noted", set())
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", key)
    if is_in_file:
        file = tmp_path / "credentials"
        file.write_text(
            f"[default]\naws_access_key_id=AKIAOFTHISFILE\naws_secret_access_key={key}\n"
        )
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    said = SPELLINGS[spelling](key)
    message = "x" * (MAX_MESSAGE_CHARS - len(said) // 2) + said + " " + "y" * 99
    answer = Answered(
        400,
        json.dumps({"message": message}).encode(),
        {"Content-Type": "application/json", "x-amzn-ErrorType": "ValidationException"},
    )
    with strict_server(lambda _: None, [answer]) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url)
        error = str(ask())
    assert "xxx" in error
    assert not parts_in(error, parts(key))


def test_nobody_waits_for_an_answer_that_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", address)
        error = ask(timeout_s=0.3)
        assert (type(error), error.kind) == (TransientModelError, "timeout")
        late = [one for one in threading.enumerate() if one.name == "lve-call"]
        assert late
        assert all(one.daemon for one in late), "the process would wait for them at its end"
    for thread in late:
        thread.join(10)


def test_no_more_requests_are_in_flight_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 0

    def count(_: Asked) -> None:
        nonlocal most
        most = max(most, sum(one.name == "lve-call" for one in threading.enumerate()))

    said = Answered(200, json.dumps(ANSWER).encode(), {"Content-Type": "application/json"})
    with strict_server(count, [said]) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url)
        model = create_model(NAME, Settings(), max_connections=2)

        async def all_at_once() -> None:
            request = ChatRequest((Message("Hi"),))
            await asyncio.gather(*(model.complete(request) for _ in range(8)))
            await model.aclose()

        asyncio.run(all_at_once())
    assert len(server.requests) == 8
    assert most <= 4, "two at work, and perhaps two that are just ending"
