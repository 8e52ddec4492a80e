"""Every provider against a server that somebody else wrote: llm-katan's echo, which speaks OpenAI's
API, Azure's, Anthropic's, Gemini's and Bedrock's."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from lve.errors import AdjustedRequestError, ModelError
from lve.messages import Completion, Message, Role, Tool, ToolCall
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

OWN = Path(sys.prefix) / "stranger" / "bin"
"""Where `make test` installs it."""
PATHS = os.pathsep.join([str(OWN), str(Path(sys.executable).parent), os.environ.get("PATH", "")])
PROGRAM = shutil.which("llm-katan", path=PATHS)
APIS = "openai,anthropic,vertexai,bedrock,azure_openai"
PROVIDERS: dict[str, dict[str, Any]] = {
    "openai": {"base_url": "{}/v1"},
    "openai package": {"base_url": "{}/v1", "options": {"client": "openai"}},
    "azure": {"base_url": "{}"},
    "azure deployment": {"base_url": "{}", "api_version": "2024-10-21"},
    "anthropic": {"base_url": "{}"},
    "gemini": {"base_url": "{}"},
    "gemini v1": {"base_url": "{}/v1"},
    "bedrock": {},
}
PNG = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA"
    "WjR9awAAAABJRU5ErkJggg=="
)
TOOL = Tool("find", "finds", {"type": "object", "properties": {"q": {"type": "string"}}})
SCHEMA = {"type": "object", "properties": {"response": {"type": "string"}}}
FORMAT = {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}}
CALLED = (
    Message("Hi"),
    Message(None, Role.assistant, tool_calls=(ToolCall("c1", "find", '{"q": "x"}'),)),
    Message("it's x", Role.tool, tool_call_id="c1"),
)
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="pip install llm-katan")


def started(folder: Path, *options: str) -> tuple[subprocess.Popen[bytes], str]:
    """Start a server, and return it and its address once it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    where = ["--host", "127.0.0.1", "--port", str(port), "--stats-file", str(folder / "stats")]
    command = [str(PROGRAM), "-m", "echo", "-b", "echo", "--providers", APIS, *where]
    server = subprocess.Popen(
        [*command, "--disable-dashboard", *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url, ends_at = f"http://127.0.0.1:{port}", time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(f"{url}/health", timeout=5).close()
            return server, url
        except OSError:
            assert time.monotonic() < ends_at, "it doesn't start"
            assert server.poll() is None, "it has ended"
            time.sleep(0.2)


def running(folder: Path, *options: str) -> Iterator[str]:
    server, url = started(folder, *options)
    try:
        yield url
    finally:
        server.kill()
        server.wait()


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from running(tmp_path_factory.mktemp("echo"))


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from running(tmp_path_factory.mktemp("failing"), "--error-rate", "1.0")


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from running(tmp_path_factory.mktemp("limited"), "--rate-limit-after", "1")


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name: str = request.param
    if name == "bedrock":
        pytest.importorskip("boto3", reason="pip install boto3")
    for variable in ("KEY_OF_A_TEST", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(variable, "key-of-this-test")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    return name


def ask(
    provider: str,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    messages: Sequence[Message] = (Message("Hello, world"),),
    **more: Any,
) -> Completion | ModelError:
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", url)
    kind, fields = provider.split()[0], {**PROVIDERS[provider]}
    if "base_url" in fields:
        fields |= {"base_url": fields["base_url"].format(url), "api_key_env": "KEY_OF_A_TEST"}
    entry = ModelSettings(provider=kind, model="m", **fields)
    model = create_model(f"{kind}/m", Settings(models={f"{kind}/m": entry}))

    async def complete() -> Completion | ModelError:
        request = ChatRequest(tuple(messages), timeout_s=60.0, **more)
        try:
            try:
                return await model.complete(request)
            except AdjustedRequestError:  # a run sends it once more, as the server wants it
                return await model.complete(request)
        except ModelError as error:
            return error
        finally:
            await model.aclose()

    return asyncio.run(complete())


def has_no_streams(provider: str) -> bool:
    """Whether the server's streams aren't what the provider's own clients can read."""
    return provider == "bedrock"  # JSON lines in place of AWS's binary event stream


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_texts_tools_and_images(
    provider: str, stream: bool, echo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if stream and has_no_streams(provider):
        got = ask(provider, echo, monkeypatch, stream=True)
        assert isinstance(got, ModelError)
        assert "boto3 can't read it" in str(got)
        return
    args = {"temperature": 0.0, "max_tokens": 99, "top_p": 0.5}
    text = ask(provider, echo, monkeypatch, stream=stream, args=args)
    assert isinstance(text, Completion), text
    assert text.text.startswith("[echo]")
    assert text.finish_reason == "stop"
    assert text.usage is not None
    assert text.usage.total_tokens > 0
    assert (text.first_token_s is not None) == stream
    image = (Message("What is this?", image_url=PNG),)
    seen = ask(provider, echo, monkeypatch, image, stream=stream)
    assert isinstance(seen, Completion), seen
    called = ask(provider, echo, monkeypatch, stream=stream, tools=(TOOL,))
    assert isinstance(called, Completion), called
    assert called.finish_reason == "tool_calls"
    # Gemini's newer field with the JSON Schema isn't known to the server, so it fills nothing in.
    filled = {} if provider.startswith("gemini") else {"q": "test_q"}
    assert [call[1:] for call in called.tool_calls] == [("find", json.dumps(filled))]
    after = ask(provider, echo, monkeypatch, CALLED, stream=stream)
    assert isinstance(after, Completion), after
    assert after.text.startswith("[echo]")


def test_answers_in_json(provider: str, echo: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The server takes a schema without heeding it; `json_object` isn't part of each API.
    by_schema = ask(provider, echo, monkeypatch, args={"response_format": FORMAT})
    assert isinstance(by_schema, Completion), by_schema
    if provider.split()[0] not in ("anthropic", "bedrock"):
        any_json = ask(
            provider, echo, monkeypatch, args={"response_format": {"type": "json_object"}}
        )
        assert isinstance(any_json, Completion), any_json


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_errors_and_rate_limits(
    provider: str, stream: bool, failing: str, limited: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = ask(provider, failing, monkeypatch, stream=stream)
    assert isinstance(failed, ModelError), failed
    assert (failed.status, failed.kind) == (500, "server_error")
    for _ in range(2):  # the first request of all is answered
        refused = ask(provider, limited, monkeypatch, stream=stream)
    assert isinstance(refused, ModelError), refused
    assert (refused.status, refused.kind) == (429, "rate_limit")
