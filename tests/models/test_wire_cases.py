"""Bytes in, completion or error out: every provider, streamed and not, with each client."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
from support.server import Raw, model_server
from support.wire_streams import APIS, cases, entry, said

from lve.errors import ModelError
from lve.execution.caller import ModelCaller
from lve.messages import Completion, Message
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.settings.settings import Settings

ALL = [(api, name) for api in APIS for name in cases(api)]
NO_BATCHES = ("gemini", "bedrock")
AT_ONCE_S = 10.0
"""Seconds in which an answer whose body has no end must be there; the time-out is three times as
long."""


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_OF_A_TEST", "key-of-this-test")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAOFTHISTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-of-this-test")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")


def ask(
    api: str, answer: Raw, monkeypatch: pytest.MonkeyPatch, *, stream: bool, client: str = "own"
) -> Completion | ModelError:
    """Return what a provider makes of a server's answer, as a run gets it."""
    if api == "bedrock":
        pytest.importorskip("boto3", reason="pip install boto3")
    heard: list[str] = []
    with model_server(serve=lambda _: answer) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", f"http://127.0.0.1:{server.port}")
        settings = entry(api, server.port)
        if client != "own":
            settings = settings._replace(options={"client": client})
        model = create_model(APIS[api].model, Settings(models={APIS[api].model: settings}))
        request = ChatRequest(
            (Message("hi"),), stream=stream, timeout_s=30.0, listen=lambda: heard.append
        )

        async def complete() -> Completion | ModelError:
            try:
                return await ModelCaller(model).answer(request)
            except ModelError as error:
                return error
            finally:
                await model.aclose()

        got = asyncio.run(complete())
        requests = len(server.requests) or server.stats().get("requests", 0)
    assert requests <= 1, "it is asked once"
    if isinstance(got, Completion) and heard:
        assert "".join(heard) == got.text, "who listens hears the same"
    return got


def told_of(completion: Completion) -> dict[str, Any]:
    """Return the fields of a completion that a case names."""
    usage = completion.usage
    fields = {
        "text": completion.text,
        "finish_reason": completion.finish_reason,
        "usage": usage and [usage.prompt_tokens, usage.completion_tokens],
        "logprobs": completion.logprobs,
        "tool_calls": [*map(list, completion.tool_calls)],
        "reasoning": completion.reasoning,
    }
    return {name: value for name, value in fields.items() if value or name == "text"}


def judge(case: Any, got: Completion | ModelError) -> None:
    if "error" in case:
        assert isinstance(got, ModelError), got
        wanted = dict(case["error"])
        assert wanted.pop("says", "") in str(got)
        assert {name: getattr(got, name) for name in wanted} == wanted
    else:
        assert isinstance(got, Completion), got
        assert told_of(got) == case["completion"]


@pytest.mark.parametrize(("api", "name"), ALL)
def test_streamed(api: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = cases(api)[name]
    if "stream" not in case:
        pytest.skip("it isn't streamed")
    started = time.monotonic()
    judge(case, ask(api, said(api, case, stream=True), monkeypatch, stream=True))
    assert time.monotonic() - started < AT_ONCE_S


@pytest.mark.parametrize(("api", "name"), ALL)
def test_whole(api: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = cases(api)[name]
    if not {"body", "body_text"} & case.keys():
        pytest.skip("it is always streamed")
    judge(case, ask(api, said(api, case, stream=False), monkeypatch, stream=False))


@pytest.mark.parametrize("name", cases("chat"))
def test_through_the_package_of_openai(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = cases("chat")[name]
    if "stream" not in case:
        pytest.skip("it isn't streamed")
    answer = said("chat", case, stream=True)
    judge(case, ask("chat", answer, monkeypatch, stream=True, client="openai"))


@pytest.mark.parametrize(("api", "name"), [one for one in ALL if one[0] not in NO_BATCHES])
def test_in_a_batch(api: str, name: str) -> None:
    case = cases(api)[name]
    if not {"body", "body_text"} & case.keys():
        pytest.skip("it is always streamed")
    body = case["body_text"] if "body_text" in case else json.dumps(case["body"])
    if api == "anthropic":
        line = f'{{"custom_id": "r", "result": {{"type": "succeeded", "message": {body}}}}}'
    else:
        line = f'{{"custom_id": "r", "response": {{"status_code": 200, "body": {body}}}}}'
    model: Any = create_model(APIS[api].model, Settings(models={APIS[api].model: entry(api, 9)}))
    batches, request = model.batch_api(), ChatRequest((Message("hi"),))

    async def complete() -> Completion | ModelError:
        async def read(_: ChatRequest) -> Completion:
            written = batches.write(request)
            completion: Completion = batches.read(line.encode(), request, written, latency_s=1.0)
            return completion

        caller = ModelCaller(model)
        caller.ask = read  # as a run with --batch has it
        try:
            return await caller.answer(request)
        except ModelError as error:
            return error
        finally:
            await batches.aclose()
            await model.aclose()

    judge(case, asyncio.run(complete()))
