"""A server on loopback that takes only requests that a provider's official types allow.

    with strict_server(check, [Answered(200, body)]) as server:
        ...
        assert server.requests[0].body["model"] == "claude-sonnet-5-5"

`check` returns what is wrong with a request, or None. A wrong one is answered 400, whatever the
script says, and kept in `server.wrong`: a test must find it empty.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from support.server import Raw, Received, http, model_server


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
    """Run a server in a thread of its own until the block ends."""
    server = StrictServer(check, answers)

    def serve(request: Received) -> Raw:
        path = f"{request.path}?{request.query}" if request.query else request.path
        body = request.json if request.method == "POST" else None
        answered = server.answer(Asked(request.method, path, request.headers, body))
        headers = "".join(f"{name}: {value}\r\n" for name, value in answered.headers.items())
        return Raw(http(answered.status, answered.body, headers))

    with model_server(serve=serve) as behind:
        server.port = behind.port
        yield server
