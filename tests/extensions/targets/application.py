"""An application behind HTTP on loopback: a function answers its requests.

with application(lambda request: {"reply": request.json["question"]}) as server:
    server.url, server.requests
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from support.hostile_server import CHUNKED, chunk, head, whole
from support.server import Raw, Received, model_server

AppRequest = Received


@dataclass
class AppResponse:
    """A response that isn't just JSON with status 200."""

    body: Any = None
    """Bytes, a list of bytes that are sent as chunks, or a JSON value."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def raw(self) -> Raw:
        """Return what is sent."""
        lines = [f"{name}: {text}" for name, text in self.headers.items()]
        status = f"{self.status} X"
        if isinstance(self.body, list):
            chunks = b"".join(map(chunk, [*self.body, b""]))
            return Raw(head(*lines, CHUNKED, status=status) + chunks)
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        return Raw(whole(body, *lines, status=status))


@dataclass
class Application:
    """A running application."""

    url: str
    requests: list[AppRequest] = field(default_factory=list)


def sse(*events: object) -> list[bytes]:
    """Return server-sent events: JSON, texts as they are."""
    texts = [event if isinstance(event, str) else json.dumps(event) for event in events]
    return [f"data: {text}\n\n".encode() for text in texts]


@contextmanager
def application(answer: Callable[[AppRequest], Any]) -> Iterator[Application]:
    """Run an application until the block ends. `answer` returns a JSON value or an AppResponse."""
    app = Application("")

    def serve(request: Received) -> Raw:
        request.path += f"?{request.query}" if request.query else ""
        app.requests.append(request)
        value = answer(request)
        return (value if isinstance(value, AppResponse) else AppResponse(value)).raw()

    with model_server(serve=serve) as server:
        app.url = f"http://127.0.0.1:{server.port}"
        yield app
