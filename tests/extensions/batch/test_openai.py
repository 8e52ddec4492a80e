"""OpenAI's batch API, with all kinds of answers."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Mapping
from typing import Any

import pytest
from extensions.batch.openai_batches import batch_server, says
from support.server import Raw, Received, http, model_server

from lve.errors import ContentFilteredError, ModelError, UsageError
from lve.extensions.batch.api import BatchModel
from lve.extensions.batch.files import is_id
from lve.extensions.batch.openai import OpenAIBatches
from lve.messages import Message
from lve.models.chat_model import ChatRequest
from lve.models.http.keys import Secret
from lve.models.registry import create_model
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

ASKED = ChatRequest((Message("Hi"),))


def api(url: str = "http://127.0.0.1:1/v1", **entry: Any) -> OpenAIBatches:
    settings = Settings(models={"m": ModelSettings(model="x", **entry)}) if entry else Settings()
    model = create_model("m" if entry else "openai/x", settings, base_url=url)
    assert isinstance(model, BatchModel)
    found = model.batch_api()
    assert isinstance(found, OpenAIBatches)
    return found


def read(line: Mapping[str, Any]) -> str:
    batches = api()
    text = json.dumps(line).encode()
    return batches.read(text, ASKED, batches.write(ASKED), latency_s=1.0).text


CHAT = {
    "choices": [{"message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}]
}
FILTERED = {"error": {"code": "content_filter", "message": "No."}}


def test_a_line_is_an_answer() -> None:
    assert read({"response": {"status_code": 200, "body": CHAT}}) == "Hello"


@pytest.mark.parametrize(
    ("line", "kind", "said"),
    [
        ({"response": {"status_code": 429, "body": {}}}, "rate_limit", "429"),
        ({"response": {"status_code": 400, "body": FILTERED}}, "content_filter", "No."),
        ({"response": {"status_code": 200, "body": None}}, "malformed", "object"),
        ({"response": {"status_code": "x"}}, "server_error", "500"),
        ({"error": {"code": "batch_expired"}}, "expired", "--retry-errors"),
        ({"error": {"code": "batch_cancelled"}}, "cancelled", "cancelled"),
        ({"error": {"code": "odd", "message": "Why?"}}, "malformed", "Why?"),
        ({"error": 7, "response": 7}, "malformed", "without response"),
    ],
)
def test_a_line_is_an_error(line: dict[str, Any], kind: str, said: str) -> None:
    with pytest.raises(ModelError, match=said) as failed:
        read(line)
    assert failed.value.kind == kind
    assert isinstance(failed.value, ContentFilteredError) is (kind == "content_filter")


@pytest.mark.parametrize("line", [b"", b"\n", b"{", b"7", b"\xff", b'{"custom_id": 7}'])
def test_what_is_no_answer_has_no_name(line: bytes) -> None:
    assert api().name_of(line) is None


def test_ids_are_no_paths() -> None:
    assert is_id("batch_abc-123")
    assert not any(map(is_id, ["", "../x", "a/b", "a?b", "a b", "ä", "x" * 201]))


ODD: list[Any] = [
    {"id": "../files"},
    {"id": 7},
    {},
    [],
    {"error": {"message": "Sorry."}},
]


@pytest.mark.parametrize("created", ODD)
def test_an_odd_id_is_an_error(created: Any) -> None:
    def serve(request: Received) -> Raw:
        return Raw(http(200, json.dumps(created).encode()))

    async def run(url: str) -> None:
        batches = api(url)
        try:
            with pytest.raises(ModelError):
                await batches.submit(io.BytesIO(b"{}\n"), "/v1/chat/completions", "0" * 32)
        finally:
            await batches.aclose()

    with model_server(serve=serve) as server:
        asyncio.run(run(server.url))


STATES: list[Any] = [
    ({"status": "in_progress", "request_counts": {"completed": 2, "failed": 1}}, False, 3),
    ({"status": "completed", "request_counts": 7, "output_file_id": "../x"}, True, 0),
    ({"status": ["completed"], "created_at": "x"}, False, 0),
    ({"status": "failed", "errors": {"data": [{"message": "Too much."}]}}, True, 0),
    ({"status": "failed", "errors": []}, True, 0),
    ({"status": "cancelled", "created_at": 9, "completed_at": 5}, True, 0),
]


@pytest.mark.parametrize(("state", "is_over", "answered"), STATES)
def test_a_state_is_read_whatever_it_holds(
    state: dict[str, Any], is_over: bool, answered: int
) -> None:
    async def run(url: str) -> None:
        batches = api(url)
        try:
            found = await batches.status("b")
        finally:
            await batches.aclose()
        assert (found.is_over, found.answered, found.files, found.took_s) == (
            is_over,
            answered,
            (),
            0.0,
        )
        assert (found.problem is not None) is (state["status"] in ("failed", "cancelled"))

    with model_server(serve=lambda request: Raw(http(200, json.dumps(state).encode()))) as server:
        asyncio.run(run(server.url))


def test_the_key_is_hidden_where_the_server_repeats_it(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-only-for-tests-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert Secret(key).reveal() == key
    answer = Raw(http(400, json.dumps({"error": {"message": f"bad key {key}"}}).encode()))

    async def run(url: str) -> None:
        batches = api(url)
        try:
            with pytest.raises(ModelError) as failed:
                await batches.status("b")
        finally:
            await batches.aclose()
        assert key not in str(failed.value)

    with model_server(serve=lambda request: answer) as server:
        asyncio.run(run(server.url))


def test_a_server_that_cant_be_reached_is_said_to_be_so() -> None:
    async def run() -> None:
        batches = api()
        try:
            with pytest.raises(ModelError, match="connection refused"):
                await batches.status("b")
        finally:
            await batches.aclose()

    asyncio.run(run())


def test_azure_has_batches_at_its_new_address_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "k" * 20)
    with pytest.raises(UsageError, match="leave api_version out"):
        api("https://x.openai.azure.com", provider="azure", api_version="2024-10-21")
    with batch_server(says("Hello")) as (server, _):
        found = api(server.url.removesuffix("/v1"), provider="azure")
        assert found.kind(found.write(ASKED)) == "/v1/chat/completions"
