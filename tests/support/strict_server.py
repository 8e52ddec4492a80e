"""A server on loopback that takes only requests that a provider's official types allow.

    with strict_server(check, [Answered(200, body)]) as server:
        ...
        assert server.requests[0].body["model"] == "claude-sonnet-5-5"

`check` returns what is wrong with a request, or None. A wrong one is answered 400, whatever the
script says, and kept in `server.wrong`: a test must find it empty.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Asked(NamedTuple):
    """A request."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Any


@dataclass
class Answered:
    """A response."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


Check = Callable[[Asked], str | None]
Script = Sequence[Answered] | Callable[[Asked], Answered]


class StrictServer:
    """A running server; the last answer of a sequence is repeated."""

    def __init__(self, check: Check, answers: Script) -> None:
        self.requests: list[Asked] = []
        self.wrong: list[str] = []
        self.port = 0
        self._check = check
        self._answers = answers if callable(answers) else list(answers)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, asked: Asked) -> Answered:
        self.requests.append(asked)
        if asked.method == "POST" and (wrong := self._check(asked)):
            self.wrong.append(wrong)
            body = {"error": {"type": "invalid_request_error", "message": wrong}}
            return Answered(400, json.dumps(body).encode())
        if callable(self._answers):
            return self._answers(asked)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


@contextmanager
def strict_server(check: Check, answers: Script) -> Iterator[StrictServer]:
    """Run a server in threads of its own until the block ends."""
    server = StrictServer(check, answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._serve(None)

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            self._serve(json.loads(self.rfile.read(length)))

        def _serve(self, body: Any) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            answered = server.answer(Asked(self.command, self.path, headers, body))
            self.send_response(answered.status)
            for name, value in answered.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answered.body)))
            self.end_headers()
            self.wfile.write(answered.body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener.daemon_threads = True
    server.port = listener.server_address[1]
    thread = threading.Thread(target=listener.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join(timeout=10)
