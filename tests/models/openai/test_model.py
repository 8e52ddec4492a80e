"""Chat models against a real server, through both clients: the same cases, the same results."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from typing import Any

import pytest
from support.server import ModelServer, Raw, Received, Reply, model_server

from lve.errors import (
    AdjustedRequestError,
    ContentFilteredError,
    ModelError,
    PermanentModelError,
    TransientModelError,
)
from lve.extensions.opencompass.likelihood import average_nll, scored_tokens
from lve.extensions.text_completions.api import parse_rated_chat
from lve.messages import Completion, Message, Role, Usage
from lve.models.chat_model import ChatModel, ChatRequest, EmbeddingModel
from lve.models.registry import create_model
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

KEY = "sk-only-for-tests"


@pytest.fixture(params=["own", "openai"])
def client(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return str(request.param)


def model_at(server: ModelServer, client: str, **settings: Any) -> ChatModel:
    entry = ModelSettings(model="test-model", options={"client": client}, **settings)
    return create_model("m", Settings(models={"m": entry}), base_url=server.url)


def ask(
    server: ModelServer,
    client: str,
    prompts: Sequence[str] = ("Compute 2 + 3",),
    *,
    stream: bool = False,
    args: dict[str, Any] | None = None,
    timeout_s: float | None = None,
) -> list[Completion | ModelError]:
    """Ask one prompt after the other; errors are results too."""

    async def run() -> list[Completion | ModelError]:
        model = model_at(server, client)
        results: list[Completion | ModelError] = []
        for prompt in prompts:
            request = ChatRequest(
                (Message(prompt),), args or {}, stream=stream, timeout_s=timeout_s
            )
            try:
                results.append(await model.complete(request))
            except ModelError as error:
                results.append(error)
        await model.aclose()
        return results

    return asyncio.run(run())


def one(server: ModelServer, client: str, **options: Any) -> Any:
    return ask(server, client, **options)[0]


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_comes_back_with_all_that_the_server_said(client: str, stream: bool) -> None:
    with model_server(api_key=KEY) as server:
        found = one(server, client, stream=stream, args={"temperature": 0.0, "logprobs": True})
    assert (found.text, found.finish_reason, found.model) == ("5", "stop", "test-model")
    assert found.usage == Usage(4, 1)
    assert found.logprobs[0]["token"] == "5"
    assert found.latency_s > 0
    assert (found.first_token_s is not None) is stream
    sent = server.requests[0].json
    assert sent["messages"] == [{"role": "user", "content": "Compute 2 + 3"}]
    assert (sent["temperature"], sent["logprobs"]) == (0.0, True)


FAULTS = [
    ("429", TransientModelError, "rate_limit", 429),
    ("429nohdr", TransientModelError, "rate_limit", 429),
    ("429date", TransientModelError, "rate_limit", 429),
    ("500", TransientModelError, "server_error", 500),
    ("503", TransientModelError, "overloaded", 503),
    ("reset", TransientModelError, "connection", 200),
    ("truncated", TransientModelError, "malformed", None),
    ("html", TransientModelError, "malformed", None),
    ("empty", TransientModelError, "empty", None),
    ("null", TransientModelError, "empty", None),
    ("400", PermanentModelError, "bad_request", 400),
    ("401", PermanentModelError, "authentication", 401),
    ("filter", ContentFilteredError, "content_filter", 200),
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("fault", "error", "kind", "status"), FAULTS)
def test_each_fault_has_its_class_and_the_next_request_works(
    client: str, stream: bool, fault: str, error: type[ModelError], kind: str, status: int | None
) -> None:
    with model_server(faults=[fault]) as server:
        failed, good = ask(server, client, ["Compute 1 + 1", "Compute 2 + 2"], stream=stream)
        assert len(server.requests) == 2  # exactly one attempt each
    assert isinstance(failed, error)
    if (client, fault) == ("openai", "reset"):  # its package doesn't say that the answer had begun
        status = None
    assert (type(failed), failed.kind, failed.status) == (error, kind, status)
    assert isinstance(good, Completion)
    assert good.text == "4"


def test_a_429_says_how_long_to_wait(client: str) -> None:
    with model_server(faults=["429", "429date", "429nohdr"], retry_after="7") as server:
        seconds, date, nothing = (
            error.retry_after_s
            for error in ask(server, client, ["a", "b", "c"])
            if isinstance(error, ModelError)
        )
    assert seconds == 7.0
    assert date is not None
    assert 0 <= date <= 1
    assert nothing is None


@pytest.mark.parametrize("stream", [False, True])
def test_a_hung_server_is_cut_off(client: str, stream: bool) -> None:
    with model_server(faults=["hang"]) as server:
        started = time.perf_counter()
        error = one(server, client, timeout_s=0.05, stream=stream)
        assert time.perf_counter() - started < 5
    assert (type(error), error.kind) == (TransientModelError, "timeout")


def test_the_settings_limit_an_attempt_too(client: str) -> None:
    async def run(server: ModelServer) -> None:
        model = model_at(server, client, timeout_s=0.05)
        with pytest.raises(TransientModelError, match=r"no answer within 0\.05 s"):
            await model.complete(ChatRequest((Message("x"),)))
        await model.aclose()

    with model_server(faults=["hang"]) as server:
        asyncio.run(run(server))


@pytest.mark.parametrize("stream", [False, True])
def test_a_stream_that_stalls_is_cut_off(client: str, stream: bool) -> None:
    with model_server(Reply("a b c"), token_latency_s=10.0) as server:
        if not stream:
            server.behaviour.latency_s = 10.0
        error = one(server, client, timeout_s=0.05, stream=stream)
    assert error.kind == "timeout"


def test_a_server_that_is_not_there_is_unreachable(client: str) -> None:
    with model_server() as server:
        pass
    error = one(server, client)
    assert (type(error), error.kind) == (TransientModelError, "unreachable")
    assert f"{server.url}: connection refused" in str(error)
    assert not error.was_sent


def test_a_server_that_hangs_up_may_have_got_the_request(client: str) -> None:
    with model_server(faults=["reset"]) as server:
        error = one(server, client)
    assert error.kind == "connection"
    assert error.was_sent


def test_connections_are_used_again(client: str) -> None:
    with model_server() as server:
        ask(server, client, [f"Compute {n} + 1" for n in range(5)])
        assert server.stats()["connections"] == 1


def test_no_more_connections_than_asked_for(client: str) -> None:
    async def run(server: ModelServer) -> None:
        entry = ModelSettings(model="m", options={"client": client})
        settings = Settings(models={"m": entry})
        model = create_model("m", settings, base_url=server.url, max_connections=3)
        requests = [ChatRequest((Message(f"Compute {n} + 0"),)) for n in range(20)]
        found = await asyncio.gather(*map(model.complete, requests))
        assert [completion.text for completion in found] == [str(n) for n in range(20)]
        await model.aclose()

    with model_server(latency_s=0.002) as server:
        asyncio.run(run(server))
        assert server.stats()["max_in_flight"] <= 3


def test_a_cancelled_request_leaves_nothing_behind(client: str) -> None:
    async def run(server: ModelServer) -> None:
        model = model_at(server, client)
        task = asyncio.ensure_future(model.complete(ChatRequest((Message("hang"),))))
        while not server.requests:  # noqa: ASYNC110 (filled by the server's thread)
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        found = await model.complete(ChatRequest((Message("Compute 2 + 2"),)))
        assert found.text == "4"
        await model.aclose()

    with model_server(faults=["hang"]) as server:
        asyncio.run(run(server))


def test_max_tokens_is_renamed_once_the_server_demands_it(client: str) -> None:
    with model_server(refuse={"max_tokens": "Use 'max_completion_tokens' instead."}) as server:
        refused, *found = ask(server, client, ["a", "a", "b"], args={"max_tokens": 3})
        assert isinstance(refused, AdjustedRequestError)
        assert all(isinstance(completion, Completion) for completion in found)
        sent = [sorted(set(request.json) - {"messages", "model"}) for request in server.requests]
    assert sent == [["max_tokens"], ["max_completion_tokens"], ["max_completion_tokens"]]


def test_stream_options_are_left_out_once_the_server_refuses_them(client: str) -> None:
    with model_server(refuse={"stream_options": "unknown field stream_options"}) as server:
        texts = ["Compute 1 + 1", "Compute 1 + 1", "Compute 1 + 2"]
        refused, first, second = ask(server, client, texts, stream=True)
        assert len(server.requests) == 3
    assert isinstance(refused, AdjustedRequestError)
    assert refused.status == 400
    assert isinstance(first, Completion)
    assert isinstance(second, Completion)
    assert (first.text, first.usage, second.text) == ("2", None, "3")


def test_a_server_that_refuses_the_new_name_too_is_not_asked_again(client: str) -> None:
    said = "Use 'max_completion_tokens' instead."
    with model_server(refuse={"max_tokens": said, "max_completion_tokens": said}) as server:
        first, second = ask(server, client, ["a", "a"], args={"max_tokens": 3})
    assert isinstance(first, AdjustedRequestError)
    assert isinstance(second, PermanentModelError)


def test_another_400_is_not_sent_again(client: str) -> None:
    with model_server(400) as server:
        error = one(server, client, args={"max_tokens": 3})
        assert len(server.requests) == 1
    assert error.kind == "bad_request"


def test_args_that_the_openai_package_does_not_know_reach_the_server(client: str) -> None:
    with model_server() as server:
        one(server, client, args={"top_k": 40, "guided_regex": "[0-9]+"})
        assert server.requests[0].json["top_k"] == 40
        assert server.requests[0].json["guided_regex"] == "[0-9]+"


def test_an_arg_that_is_not_json_is_one_clear_error(client: str) -> None:
    with model_server() as server:
        error = one(server, client, args={"seed": float("nan")})
        assert not server.requests
    assert "can't be sent as JSON" in str(error)


def test_headers_of_the_settings_are_sent(client: str) -> None:
    async def run(server: ModelServer) -> None:
        options = {"client": client, "headers": {"X-Title": "lve"}}
        settings = Settings(models={"m": ModelSettings(model="m", options=options)})
        model = create_model("m", settings, base_url=server.url)
        await model.complete(ChatRequest((Message("hi"),)))
        await model.aclose()

    with model_server() as server:
        asyncio.run(run(server))
        assert server.requests[0].headers["x-title"] == "lve"


def test_a_wrong_key_is_not_repeated_in_the_error(client: str) -> None:
    def repeats_the_key(request: Received) -> Any:
        return {"error": {"message": request.headers["authorization"], "code": 401}}

    with model_server(repeats_the_key) as server:
        error = one(server, client)
    assert KEY not in f"{error} {error!r} {vars(error)}"
    assert "***" in str(error)


@pytest.mark.parametrize("way", ["chat", "stream", "text", "embeddings"])
@pytest.mark.parametrize(
    "body", ['{"error": "Bearer KEY"}', '{"error": ["KEY"]}', f"<p>{'.' * 40}Bearer KEY</p>"]
)
def test_a_key_in_a_successful_answer_is_not_shown(client: str, way: str, body: str) -> None:
    async def run(server: ModelServer) -> None:
        model = model_at(server, client)
        assert isinstance(model, EmbeddingModel)
        try:
            if way == "embeddings":
                await model.embed(["x"])
            elif way == "text":
                await model.complete(ChatRequest(prompt="x"))
            else:
                await model.complete(ChatRequest((Message("x"),), stream=way == "stream"))
        finally:
            await model.aclose()

    data = body.replace("KEY", KEY).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n"
    with (
        model_server(raw=Raw(f"{head}\r\n".encode() + data)) as server,
        pytest.raises(ModelError) as caught,
    ):
        asyncio.run(run(server))
    assert "sk-only" not in f"{caught.value} {caught.value!r} {vars(caught.value)}"


@pytest.mark.parametrize("version", ["2024-10-21", None])
def test_azure_has_its_own_address_and_header(
    client: str, version: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)

    async def run(server: ModelServer) -> None:
        entry = ModelSettings(
            provider="azure", model="my-deployment", api_version=version, options={"client": client}
        )
        resource = server.url.removesuffix("/v1")
        model = create_model("m", Settings(models={"m": entry}), base_url=resource)
        assert (await model.complete(ChatRequest((Message("Compute 1 + 1"),)))).text == "2"
        await model.aclose()

    with model_server(api_key=KEY) as server:
        asyncio.run(run(server))
        sent = server.requests[0]
    if version:
        assert sent.path == "/openai/deployments/my-deployment/chat/completions"
        assert sent.query == f"api-version={version}"
        assert sent.headers["api-key"] == KEY
    else:
        assert (sent.path, sent.query) == ("/openai/v1/chat/completions", "")
    assert sent.json["model"] == "my-deployment"


def rate(server: ModelServer, client: str, *messages: Message) -> Completion:
    async def run() -> Completion:
        model = model_at(server, client)
        try:
            return await model.complete(ChatRequest(messages, {"max_tokens": 99}, score=True))
        finally:
            await model.aclose()

    return asyncio.run(run())


def test_a_chat_is_rated_as_vllm_rates_it(client: str) -> None:
    with model_server(api_key=KEY) as server:
        found = rate(server, client, Message("Is tea hot?"), Message("Yes.", Role.assistant))
        [request] = server.requests
    sent = json.loads(request.body)
    assert (sent["prompt_logprobs"], sent["max_tokens"]) == (0, 1)
    tokens = scored_tokens(found, "m")
    assert "".join(token.text for token in tokens).endswith("hot?\nYes.")
    values = [token.logprob for token in tokens[1:]]
    assert None not in values
    assert average_nll(tokens) == pytest.approx(-sum(filter(None, values)) / len(values))


@pytest.mark.parametrize(
    ("entries", "error", "message"),
    [
        (None, PermanentModelError, "gives no log-probabilities of the prompt"),
        ([None, {"5": {"rank": 1}}], TransientModelError, "token without log-probability"),
        ([None, {"5": {"logprob": "x"}}], TransientModelError, "'x' is no log-probability"),
        ([None, 7], TransientModelError, "token without log-probability"),
    ],
)
def test_an_answer_without_ratings_is_an_error(
    entries: Any, error: type[ModelError], message: str
) -> None:
    body = json.dumps({"choices": [], "prompt_logprobs": entries}).encode()
    with pytest.raises(error, match=message):
        parse_rated_chat(body)
