"""An application behind HTTP on loopback, for tests: a function answers its requests.

with application(lambda request: {"reply": request.json["question"]}) as server:
    server.url, server.requests
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class AppRequest:
    """A request that arrived."""

    method: str
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class AppResponse:
    """A response that isn't just JSON with status 200."""

    body: Any = None
    """Bytes, a list of bytes that are sent one after the other, or a JSON value."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Application:
    """A running application."""

    url: str
    requests: list[AppRequest]


def sse(*events: object) -> list[bytes]:
    """Return server-sent events: JSON, texts as they are."""
    texts = [event if isinstance(event, str) else json.dumps(event) for event in events]
    return [f"data: {text}\n\n".encode() for text in texts]


@contextmanager
def application(answer: Callable[[AppRequest], Any]) -> Iterator[Application]:
    """Run an application until the block ends. `answer` returns a JSON value or an AppResponse."""
    requests: list[AppRequest] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = AppRequest(self.command, self.path, headers, self.rfile.read(length))
            requests.append(request)
            value = answer(request)
            response = value if isinstance(value, AppResponse) else AppResponse(value)
            self.send_response(response.status)
            for name, text in response.headers.items():
                self.send_header(name, text)
            if isinstance(response.body, Sequence) and not isinstance(response.body, bytes | str):
                self._send_parts(response.body)
                return
            body = response.body
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _send_parts(self, parts: Sequence[Any]) -> None:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for part in parts:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")

        do_GET = do_POST = do_PUT = do_PATCH = handle_one

        def log_message(self, *args: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield Application(f"http://127.0.0.1:{server.server_port}", requests)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
