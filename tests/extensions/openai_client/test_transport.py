"""The transport through the `openai` package, compared with lve's own."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from models.http.http_wire import BODY, PATH
from support.hostile_server import head
from support.server import Raw, model_server

from lve.errors import TransientModelError
from lve.extensions.openai_client.transport import OpenAIClientTransport
from lve.models.http.connections import transport as module
from lve.models.http.connections.pool import HttpTransport
from lve.models.http.connections.transport import http_module
from lve.models.http.endpoint import Endpoint
from lve.models.http.keys import Secret

TLS = Path(__file__).parents[2] / "cases" / "tls"
SIZE = 1_000_000
UNFINISHED = Raw(head(f"Content-Length: {SIZE}") + b"x" * 2000)
WHOLE = Raw(head(f"Content-Length: {SIZE}") + b"y" * SIZE)


@pytest.mark.parametrize("kind", [HttpTransport, OpenAIClientTransport])
def test_a_large_body_waits_while_an_earlier_one_fills_the_memory(
    kind: type[HttpTransport | OpenAIClientTransport], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_BUFFERED_BYTES", 1000)
    ended: list[str] = []

    async def first(transport: module.Transport) -> None:
        with pytest.raises(TransientModelError, match="1 s"):
            await transport.post(PATH, BODY, timeout_s=1)
        ended.append("first")

    async def second(transport: module.Transport) -> None:
        await asyncio.sleep(0.5)  # until the first one's bytes are there
        response = await transport.post(PATH, BODY, timeout_s=20)
        assert response.body == b"y" * SIZE
        ended.append("second")

    async def run(url: str) -> None:
        endpoint = Endpoint("openai", url, "m", Secret("none"))
        transport = kind(endpoint, max_connections=4)
        try:
            await asyncio.gather(first(transport), second(transport))
        finally:
            await transport.aclose()

    with model_server([UNFINISHED, WHOLE]) as server:
        asyncio.run(run(server.url))
    assert ended == ["first", "second"]


def test_certificates_are_read_once_unless_the_environment_names_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    make = http_module().create_ssl_context

    def note() -> object:
        read.append(os.environ["SSL_CERT_FILE"])
        return make()

    monkeypatch.setattr(http_module(), "create_ssl_context", note)
    files = [str(TLS / name) for name in ("localhost.pem", "localhost.pem", "../tls/localhost.pem")]
    for file in files:
        monkeypatch.setenv("SSL_CERT_FILE", file)
        endpoint = Endpoint("openai", "https://localhost/v1", "m", Secret("none"))
        asyncio.run(OpenAIClientTransport(endpoint, max_connections=4).aclose())
    assert read == files[1:]
