"""The server between a tool and a model's server, for `same_weights.py`."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Row = Mapping[str, Any]
"""A request, a reply, or what a tool says of a row: `prompts`, `values` and `scores`."""


@dataclass
class Recorder:
    """A server that passes requests on, and keeps them."""

    target: str
    """The base URL of the model, ending in `/v1`."""
    kept: dict[str, tuple[Row, Row]] = field(default_factory=dict)
    """Prompt -> last request and its reply."""
    calls: int = 0
    replies: Mapping[str, Row] | None = None
    """If given, prompt -> what is answered instead of asking."""

    def answer(self, path: str, request: Row) -> Row:
        """Return the server's reply."""
        prompt = request.get("prompt") or request["messages"][-1]["content"]
        self.calls += 1
        reply = self.replies[prompt] if self.replies else self._asked(path, request)
        self.kept[prompt] = request, reply
        return reply

    def _asked(self, path: str, request: Row) -> Row:
        headers = {"Content-Type": "application/json"}
        body = json.dumps(request).encode()
        url = self.target.removesuffix("/v1") + path
        with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as stream:
            return dict(json.load(stream))

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Serve on loopback until the block ends; gives the base URL."""
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                body = json.dumps(recorder.answer(self.path, request)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_port}/v1"
            server.shutdown()


def reply(recorder: Recorder, prompt: str) -> tuple[str, Any]:
    """Return what the server has answered: a text, and the log-probabilities
    of an echo without what is generated."""
    request, answer = recorder.kept[prompt]
    [choice] = answer["choices"]
    text = choice["text"] if "text" in choice else choice["message"]["content"]
    rated = choice["logprobs"] if request.get("echo") else {"token_logprobs": [], "text_offset": []}
    pairs = zip(rated["token_logprobs"], rated["text_offset"], strict=True)
    return text, [value for value, start in pairs if start < len(prompt)]


def with_generated(answer: Row) -> Row:
    """Return a reply whose echo lists the generated token too, as OpenAI's does."""
    [choice] = answer["choices"]
    logprobs = choice["logprobs"]
    end = sum(map(len, logprobs["tokens"]))
    text = choice["text"][end:]
    added = {"tokens": text, "token_logprobs": 0.0, "text_offset": end, "top_logprobs": {text: 0.0}}
    whole = {name: [*logprobs[name], value] for name, value in added.items()}
    return {**answer, "choices": [{**choice, "logprobs": whole}]}
