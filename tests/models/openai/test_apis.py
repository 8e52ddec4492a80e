"""The choice between OpenAI's two APIs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from extensions.responses import responses_api
from support.command_line import call
from support.folders import workspace, write_test
from support.server import Answer, Raw, Received, http, model_server

from lve.errors import AdjustedRequestError, ModelError, PermanentModelError, SettingsError
from lve.extensions.responses.api import ResponsesWire
from lve.extensions.text_completions.api import RatingWire, TextWire
from lve.messages import Message
from lve.models.chat_model import DEFAULT_ARG_NAMES, ChatRequest
from lve.models.http.adjustments import Adjustments
from lve.models.http.chat import HttpChatModel
from lve.models.http.connections.pool import HttpTransport
from lve.models.http.connections.transport import HttpResponse
from lve.models.http.endpoint import Endpoint
from lve.models.http.keys import Secret
from lve.models.http.wire import WrittenRequest
from lve.models.known_models import api_of
from lve.models.openai.apis import ChatWire, openai_wire
from lve.models.openai.endpoint import azure_endpoint, has_deployment
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

ONLY_RESPONSES = (
    "This model is only supported in v1/responses and not in v1/chat/completions.",
    "Function tools with reasoning_effort are not supported for gpt-6.1-sol in "
    "/v1/chat/completions. Please use /v1/responses instead.",
    "This is not a chat model and thus not supported in the v1/chat/completions endpoint.",
)


@pytest.mark.parametrize(
    ("name", "settings", "api"),
    [
        ("openai/gpt-5-pro", {}, "responses"),
        ("openai/gpt-5.3-codex", {}, "responses"),
        ("openai/o3-pro-2025-06-10", {}, "responses"),
        ("azure/gpt-5-pro", {}, "responses"),
        ("openai/gpt-6-luna", {}, None),
        ("openrouter/openai/gpt-5-pro", {}, None),
        ("dummy/dummy", {}, None),
        ("openai/gpt-5-pro", {"api": "chat"}, "chat"),
        ("openai/tomorrow-1", {"api": "responses"}, "responses"),
    ],
)
def test_the_settings_and_what_is_known_decide(
    name: str, settings: dict[str, Any], api: str | None
) -> None:
    entry = ModelSettings(provider=name.partition("/")[0], **settings)
    given = Settings(models={name: entry}) if settings else Settings()
    assert api_of(name, given) == api


def both(refusal: str, status: int) -> Any:
    """Return an answer function of a server whose model answers only by the Responses API."""
    says = responses_api.says("Hello")

    def answer(request: Received) -> Answer:
        if request.path.endswith("/responses"):
            answered: Answer = says(request)
            return answered
        return responses_api.refuse(refusal, status)

    return answer


def session_info(root: Path) -> Any:
    (folder,) = (root / ".lve" / "runs").iterdir()
    return json.loads((folder / "session.json").read_text())


@pytest.mark.parametrize("status", [400, 404])
@pytest.mark.parametrize("refusal", ONLY_RESPONSES)
def test_a_model_that_wants_the_other_api_is_asked_by_it(
    refusal: str, status: int, root: Path
) -> None:
    write_test(root / "t", repeats=3)
    with model_server(both(refusal, status)) as server:
        at = ["--base-url", server.url, "--model", "openai/tomorrow-1", "-j", "1"]
        code, _, err = call("run", "t", *at)
        paths = [request.path.rpartition("/v1")[2] for request in server.requests]
    assert code == 0, err
    assert paths == ["/chat/completions", *["/responses"] * 3]
    assert err.count("openai/tomorrow-1 is asked by the Responses API") == 1
    assert session_info(root)["sent"] == {"openai/tomorrow-1": {"api": "responses"}}


def test_requests_under_way_when_the_api_changes_are_sent_again(root: Path) -> None:
    write_test(root / "t", repeats=20)
    with model_server(both(ONLY_RESPONSES[0], 404), latency_s=0.01) as server:
        at = ["--base-url", server.url, "--model", "openai/tomorrow-1", "-j", "20"]
        code, _, err = call("run", "t", *at)
    assert code == 0
    assert err.count("is asked by the Responses API") == 1


def test_a_server_without_the_responses_api_is_asked_to_chat(root: Path) -> None:
    write_test(root / "t")
    with model_server(missing=("/responses",)) as server:
        at = ["--base-url", server.url, "--model", "openai/gpt-5-pro"]
        code, _, err = call("run", "t", *at)
    assert code == 3, "the server of these tests says that it hasn't the model"
    assert "model_not_found" not in err

    def only_chat(request: Received) -> Answer:
        return Raw(http(404, b"Not Found")) if request.path.endswith("/responses") else "Hello"

    with model_server(only_chat) as server:
        at = ["--base-url", server.url, "--model", "openai/gpt-5-pro"]
        code, _, err = call("run", "t", *at)
    assert code == 0
    assert "openai/gpt-5-pro is asked by chat completions" in err


def test_what_the_settings_say_stays(root: Path) -> None:
    workspace(root, json.dumps({"models": {"m": {"model": "x", "api": "chat"}}}))
    write_test(root / "t")
    with model_server(both(ONLY_RESPONSES[0], 404)) as server:
        code, out, _ = call("run", "t", "--base-url", server.url, "-m", "m", "--json")
        assert len(server.requests) == 1
    assert code == 3
    assert "v1/responses" in out


def test_an_unknown_api_is_refused_where_it_stands(root: Path) -> None:
    workspace(root, "models:\n  m:\n    api: completions\n")
    write_test(root / "t")
    with pytest.raises(SettingsError, match=r"lve.yaml:3:10: \$.models.m.api: .*`responses`"):
        call("run", "t", "-m", "m")


def refusal(status: int, **error: str) -> HttpResponse:
    return HttpResponse(status, {}, json.dumps({"error": error}).encode())


WANTS = {"message": "Please use /v1/responses instead."}


def test_it_changes_only_once() -> None:
    chat = openai_wire("m")
    assert chat.other(refusal(500, **WANTS)) is None
    responses = chat.other(refusal(400, **WANTS))
    assert isinstance(responses, ResponsesWire)
    assert responses.other(refusal(404)) is None
    assert openai_wire("m", is_fixed=True).other(refusal(400, **WANTS)) is None


def test_a_model_that_the_server_has_not_is_not_asked_for_by_the_other_api() -> None:
    responses = openai_wire("m", "responses")
    assert isinstance(responses.other(refusal(404, message="Not Found")), ChatWire)
    assert responses.other(refusal(404, code="model_not_found")) is None
    assert responses.other(refusal(404, message="No such Model")) is None
    assert openai_wire("m", "responses", is_fixed=True).other(refusal(404)) is None


def test_a_request_in_flight_when_the_api_changes_is_sent_again_whatever_its_error() -> None:
    told: list[str] = []
    endpoint = Endpoint("openai", "http://m.test/v1", "m", Secret("none"))
    transport = HttpTransport(endpoint, max_connections=1)
    adjustments = Adjustments("m", tell=told.append)
    model = HttpChatModel("m", endpoint, openai_wire("m"), transport, adjustments)
    request = ChatRequest((Message("x"),))
    first, second = model.write(request), model.write(request)
    for written, response in ((first, refusal(400, **WANTS)), (second, refusal(500))):
        with pytest.raises(AdjustedRequestError):
            model.read(response, request, written, latency_s=0.0)
    assert told == ["m is asked by the Responses API: its server wants that"]
    third = model.write(request)
    assert third.path == "/responses"
    with pytest.raises(ModelError) as caught:
        model.read(refusal(500), request, third, latency_s=0.0)
    assert not isinstance(caught.value, AdjustedRequestError)
    assert model.sent_differently == {"api": "responses"}
    assert "api" not in model.identity


def test_an_answer_to_a_request_without_all_its_args_is_not_plain() -> None:
    endpoint = Endpoint("openai", "http://m.test/v1", "m", Secret("none"))
    transport = HttpTransport(endpoint, max_connections=1)
    model = HttpChatModel("m", endpoint, openai_wire("m"), transport, Adjustments("m"))
    body: dict[str, Any] = {"model": "m", "usage": {"prompt_tokens": 8, "completion_tokens": 1}}
    body["choices"] = [{"message": {"content": "4"}, "finish_reason": "stop"}]
    response, request = HttpResponse(200, {}, json.dumps(body).encode()), ChatRequest()
    for left_out in ((), ("temperature",)):
        written = WrittenRequest(openai_wire("m"), "", {}, frozenset(left_out))
        answer = model.read(response, request, written, latency_s=0.0)
        assert (answer.left_out, answer.is_plain) == (left_out, not left_out)


def test_texts_and_ratings_keep_their_api_when_the_server_wants_another() -> None:
    for request in (ChatRequest(prompt="x"), ChatRequest((Message("x"),), score=True)):
        for api in ("chat", "responses"):
            wire = openai_wire("m", api).for_request(request)
            assert isinstance(wire, TextWire | RatingWire)
            assert wire.other(refusal(400, **WANTS)) is None


REQUESTS = {
    "chat": ChatRequest((Message("x"),), {"temperature": 0.0}, by_default=DEFAULT_ARG_NAMES),
    "text": ChatRequest(prompt="x", args={"temperature": 0.0}, by_default=DEFAULT_ARG_NAMES),
    "rating": ChatRequest((Message("x"),), score=True),
}


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("request_kind", REQUESTS)
def test_a_default_that_is_refused_is_left_out_of_the_next_request(
    request_kind: str, api: Any
) -> None:
    request, wire = REQUESTS[request_kind], openai_wire("m", api)
    adjustments = Adjustments("m")

    def learn() -> ModelError:
        written = wire.for_request(request).write(request, adjustments)
        assert "temperature" in written.body
        assert written.left_out == frozenset()
        refused = refusal(400, message="'temperature' is not supported")
        failure = PermanentModelError("no", kind="bad_request", status=400)
        sent = written.wire.refusable(request, written)
        return adjustments.learn_from(failure, refused.body, *sent)

    assert isinstance(learn(), AdjustedRequestError)
    written = wire.for_request(request).write(request, adjustments)
    assert "temperature" not in written.body
    assert written.left_out == (DEFAULT_ARG_NAMES if request_kind != "rating" else frozenset())


AZURE = {"AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com", "AZURE_OPENAI_API_KEY": "k" * 20}


@pytest.mark.parametrize(
    ("version", "api", "url"),
    [
        (None, "responses", "https://x.openai.azure.com/openai/v1"),
        ("2025-04-01-preview", "responses", "https://x.openai.azure.com/openai"),
        ("2024-10-21", None, "https://x.openai.azure.com/openai/deployments/gpt"),
    ],
)
def test_azure_has_an_address_for_each_api(version: str | None, api: Any, url: str) -> None:
    entry = ModelSettings(provider="azure", api_version=version, api=api)
    with patch.dict(os.environ, AZURE):
        endpoint = azure_endpoint("azure/gpt", entry, base_url=None, env=os.environ)
    assert endpoint.base_url == url
    assert has_deployment(endpoint) is ("deployments" in url)
