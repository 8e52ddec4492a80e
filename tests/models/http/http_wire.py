"""Our own transport and a server that says any bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from support.server import ModelServer

from lve.models.http.connections.pool import HttpTransport
from lve.models.http.connections.transport import HttpResponse
from lve.models.http.endpoint import Endpoint
from lve.models.http.keys import Secret

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
