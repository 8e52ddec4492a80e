"""Our own transport and a server that says any bytes."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from support.server import ModelServer, Raw, model_server

from lve.models.openai.endpoint import Endpoint
from lve.models.openai.http import HttpTransport
from lve.models.openai.keys import Secret
from lve.models.openai.transport import HttpResponse

TLS = Path(__file__).parents[1] / "cases" / "tls"
PATH = "/chat/completions"
BODY = {"model": "m", "messages": []}


def use(
    server: ModelServer, job: Callable[[HttpTransport], Awaitable[Any]], **endpoint: Any
) -> Any:
    """Run a job with a transport to the server."""

    async def run() -> Any:
        where = Endpoint("openai", server.url, "m", Secret("none"), **endpoint)
        transport = HttpTransport(where, max_connections=4)
        try:
            return await job(transport)
        finally:
            await transport.aclose()

    return asyncio.run(run())


async def post(transport: HttpTransport) -> HttpResponse:
    return await transport.post(PATH, BODY, timeout_s=5)


def answer_to(data: bytes, *, close: bool = False) -> HttpResponse:
    """Return what the transport makes of these bytes."""
    with model_server(Raw(data, close)) as server:
        response = use(server, post)
    assert isinstance(response, HttpResponse)
    return response


def head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode()


def tls_server_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "localhost.pem", TLS / "localhost.key")
    return context
