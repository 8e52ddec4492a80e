"""A lean HTTP/1.1 server side for the OpenAI wire format, on the standard library alone.

Shared by the tests (`support.server`) and the benchmarks (`benchmarks/server.py`): one
implementation, so that both see the same faults.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import time
from collections.abc import Callable, Iterable, Sequence
from email.utils import formatdate
from functools import partial
from typing import Any, cast

from support.openai_answers import (
    Answer,
    Raw,
    Received,
    Reply,
    Said,
    Scripted,
    chat_body,
    chat_chunks,
    completions_body,
    embeddings_body,
    error_body,
)
from support.openai_state import State

_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found"}
_ERRORS = {
    400: ("Bad request", "invalid_request_error"),
    401: ("Incorrect API key provided", "invalid_api_key"),
    403: ("Not allowed", "permission_denied"),
    404: ("The model does not exist", "model_not_found"),
    408: ("Request timed out", "timeout"),
    409: ("Conflict", "conflict"),
    422: ("Unprocessable", "invalid_request_error"),
    429: ("Rate limit reached", "rate_limit_exceeded"),
    500: ("The server had an error", "server_error"),
    503: ("The engine is overloaded", "overloaded"),
}
_OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
HOUR_S = 3600.0
HOLD_S = 120.0
"""A client that never sends as many requests as a test wants fails it, and doesn't hang."""
_CLOSE_WITH_RESET = struct.pack("ii", 1, 0)


class Connection(asyncio.Protocol):
    """One keep-alive connection; its requests are answered one after the other."""

    def __init__(self, state: State, loop: asyncio.AbstractEventLoop) -> None:
        self.state = state
        self.loop = loop
        self.transport: asyncio.Transport | None = None
        self.buffer = b""
        self.busy = False
        self.timer: asyncio.TimerHandle | None = None
        self.saying: asyncio.Task[None] | None = None
        self.has_room = asyncio.Event()
        self.has_room.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's is no subclass
        self.state.count["connections"] += 1
        self.state.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None
        self.state.connections.discard(self)
        if self.timer is not None:
            self.timer.cancel()
        if self.saying is not None:
            self.saying.cancel()
        if self.busy:
            self.busy = False
            self.state.in_flight -= 1
            self.state.count["gone"] += 1

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.busy and self.saying is None:
            self._next()

    def pause_writing(self) -> None:
        self.has_room.clear()

    def resume_writing(self) -> None:
        self.has_room.set()

    def _next(self) -> None:
        parsed = parse_request(self.buffer)
        if parsed is None:
            return
        request, self.buffer = parsed
        serve = self.state.behaviour.serve
        if serve is not None and (served := serve(request)) is not None:
            self._serve(served)
            return
        if request.method != "POST" or request.path.startswith("/stats"):
            self._control(request)
            return
        state = self.state
        key = hash(request.body)
        request.attempt = state.attempts[key]
        state.attempts[key] += 1
        state.count["requests"] += 1
        if state.keep:
            state.requests.append(request)
        self.busy = True
        state.in_flight += 1
        state.max_in_flight = max(state.max_in_flight, state.in_flight)
        is_late = 0 < state.behaviour.quick < state.count["requests"]
        latency_s = HOUR_S if is_late else state.behaviour.latency_s
        if state.behaviour.hold_until:
            self._hold(partial(self._later, latency_s, self._respond, request))
        else:
            self._later(latency_s, self._respond, request)

    def _serve(self, served: Raw | Scripted) -> None:
        if self.transport is None:
            return
        if isinstance(served, Scripted):
            self.saying = self.loop.create_task(self._say(served.said, self.transport))
            return
        self.transport.write(served.data)
        if served.close:
            self.transport.close()
        elif self.buffer:
            self._next()

    async def _say(self, said: Iterable[Said], transport: asyncio.Transport) -> None:
        for part in said:
            if part is None:
                transport.close()
            if transport.is_closing():
                return
            if isinstance(part, float):
                await asyncio.sleep(part)
            elif part is not None:
                transport.write(part)
                await self.has_room.wait()
        self.saying = None
        self._next()

    def _hold(self, answer: Callable[[], None]) -> None:
        """Let an answer wait until enough requests are in flight."""
        state = self.state
        if not state.held:
            self.loop.call_later(HOLD_S, state.release)
        state.held.append(answer)
        if state.max_in_flight >= state.behaviour.hold_until:
            state.release()

    def _later(self, seconds: float, function: Callable[..., None], *args: Any) -> None:
        if seconds > 0:
            self.timer = self.loop.call_later(seconds, function, *args)
        else:
            function(*args)

    def _respond(self, request: Received) -> None:
        self.timer = None
        fault = self.state.fault_of(request)
        if fault is not None:
            self.state.failures[fault] += 1
        if fault in ("hang", "reset"):
            self._bill(request)
        if fault == "hang":
            return
        if fault == "reset":
            self._reset()
        elif fault in ("429", "429nohdr", "429date", "500", "503", "400", "401"):
            self._error(int(fault[:3]), _retry_after(fault, self.state.behaviour.retry_after))
        elif fault == "html":
            self._finish(http(200, b"<html>gateway</html>", "Content-Type: text/html\r\n"))
        elif not self._authorised(request):
            self._error(401)
        elif refused := self.state.behaviour.refuse.keys() & request.json.keys():
            message = self.state.behaviour.refuse[min(refused)]
            self._finish(http(400, error_body(message, "unsupported_parameter")))
        else:
            self._answer(request, fault)

    def _bill(self, request: Received) -> None:
        """Bill a chat answer that was made and is never sent."""
        if request.path.endswith("/chat/completions"):
            answer = self.state.behaviour.answer(request)
            if isinstance(answer, (str, Reply)):
                reply = answer if isinstance(answer, Reply) else Reply(answer)
                self.state.bill(chat_body(request.json, reply)["usage"])

    def _authorised(self, request: Received) -> bool:
        key = self.state.behaviour.api_key
        bearer = request.headers.get("authorization")
        return key is None or bearer == f"Bearer {key}" or request.headers.get("api-key") == key

    def _answer(self, request: Received, fault: str | None) -> None:
        if request.path.endswith(tuple(self.state.behaviour.missing)):
            self._error(404)
        elif (raw := self.state.behaviour.raw) is not None:
            self._finish(raw.data, close=raw.close)
        elif request.path.endswith("/embeddings"):
            self._send_json(embeddings_body(request.json), fault)
        elif request.path.endswith(("/chat/completions", "/responses")):
            answer = self.state.behaviour.answer(request)
            delay = answer.delay_s if isinstance(answer, Reply) else 0.0
            self._later(delay, self._send_chat, request, answer, fault)
        elif request.path.endswith("/completions"):
            self._send_json(self._text_completion(request), fault)
        else:
            self._error(404)

    def _text_completion(self, request: Received) -> dict[str, Any]:
        prompts = request.json["prompt"]
        prompts = [prompts] if isinstance(prompts, str) else prompts
        texts = []
        for prompt in prompts:
            single = Received("POST", request.path, {}, b"", _json={"prompt": prompt})
            texts.append(str(self.state.behaviour.answer(single)))
        return completions_body(request.json, texts)

    def _send_chat(self, request: Received, answer: Answer, fault: str | None) -> None:
        if isinstance(answer, Raw):
            self._finish(answer.data, close=answer.close)
        elif isinstance(answer, int):
            self._error(answer)
        elif isinstance(answer, (str, Reply)):
            reply = answer if isinstance(answer, Reply) else Reply(answer)
            self._send_reply(request, _spoiled(reply, fault), fault)
        else:
            self._send_json(dict(answer), fault)

    def _send_reply(self, request: Received, reply: Reply, fault: str | None) -> None:
        body = chat_body(request.json, reply)
        self.state.bill(body["usage"])
        if not request.json.get("stream") or fault == "empty":
            self._send_json(body, fault)
            return
        self.state.count["streams"] += 1
        options = request.json.get("stream_options") or {}
        events = chat_chunks(body, reply, include_usage=bool(options.get("include_usage")))
        frames = [b"data: " + json.dumps(event).encode() + b"\n\n" for event in events]
        frames.append(b"data: [DONE]\n\n")
        if fault == "truncated":
            frames = [*frames[:1], frames[1][:20]]
        chunks = [b"%x\r\n%b\r\n" % (len(frame), frame) for frame in frames]
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        chunks = [head + b"Transfer-Encoding: chunked\r\n\r\n", *chunks, b"0\r\n\r\n"]
        if self.state.behaviour.token_latency_s:
            self._stream(chunks, 0)
        else:
            self._finish(b"".join(chunks))

    def _stream(self, chunks: Sequence[bytes], n: int) -> None:
        if self.transport is None:
            return
        if n == len(chunks) - 1:
            self._finish(chunks[n])
            return
        self.transport.write(chunks[n])
        self._later(self.state.behaviour.token_latency_s, self._stream, chunks, n + 1)

    def _send_json(self, body: dict[str, Any], fault: str | None) -> None:
        if fault == "empty":
            body["choices"] = []
        data = json.dumps(body).encode()
        if fault == "truncated":
            data = data[: len(data) // 2]
        self._finish(b"%b%d\r\n\r\n%b" % (_OK, len(data), data))

    def _error(self, status: int, headers: str = "") -> None:
        message, code = _ERRORS[status]
        self._finish(http(status, error_body(message, code), headers))

    def _reset(self) -> None:
        """Send half an answer, then a TCP reset."""
        assert self.transport is not None
        self.transport.write(_OK + b'400\r\n\r\n{"id":"chatcmpl-test","cho')
        sock = self.transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _CLOSE_WITH_RESET)
        self._count_answer()
        self.transport.close()

    def _count_answer(self) -> None:
        self.busy = False
        self.state.in_flight -= 1
        self.state.count["answered"] += 1

    def _finish(self, data: bytes, *, close: bool = False) -> None:
        self.timer = None
        if self.transport is None:
            return
        self._count_answer()
        self.transport.write(data)
        if close:
            self.transport.close()
        elif self.buffer:
            self._next()

    def _control(self, request: Received) -> None:
        assert self.transport is not None
        if request.path == "/stats":
            body = json.dumps(self.state.stats()).encode()
        elif request.path == "/stats/reset":
            self.state.reset()
            body = b"{}"
        elif request.path.endswith("/models"):
            body = b'{"object": "list", "data": [{"id": "test-model", "object": "model"}]}'
        else:
            self.transport.write(http(404, error_body(f"No route {request.path}", "not_found")))
            return
        self.transport.write(http(200, body))


def _retry_after(fault: str, seconds: str) -> str:
    if fault == "429":
        return f"Retry-After: {seconds}\r\n"
    if fault == "429date":
        return f"Retry-After: {formatdate(time.time() + 1, usegmt=True)}\r\n"
    return ""


def _spoiled(reply: Reply, fault: str | None) -> Reply:
    if fault == "null":
        return Reply(None)
    if fault == "length":
        return Reply((reply.text or "")[:1], "length")
    if fault == "filter":
        return Reply("", "content_filter")
    return reply


def http(status: int, body: bytes, headers: str = "") -> bytes:
    """Return a whole HTTP response. `headers` are lines that end in CRLF."""
    reason = _REASONS.get(status, "Error")
    if "content-type" not in headers.lower():
        headers += "Content-Type: application/json\r\n"
    head = f"HTTP/1.1 {status} {reason}\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
    return head.encode() + body


def parse_request(buffer: bytes) -> tuple[Received, bytes] | None:
    """Return the first request and the bytes after it, or None when it isn't complete."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return None
    first, *lines = buffer[:end].decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    size = int(headers.get("content-length", 0))
    start = end + 4
    if len(buffer) < start + size:
        return None
    path = target.partition("?")[0]
    request = Received(method, path, headers, buffer[start : start + size])
    request.query = target.partition("?")[2]
    return request, buffer[start + size :]
