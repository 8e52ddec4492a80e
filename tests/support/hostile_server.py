"""A server on loopback that says whatever a test wants, byte by byte.

    with hostile_server(BEHAVIOURS["endless headers"]) as server:
        ...
        server.behave(None)          # from now on it is honest

A behaviour is a function that gives what is sent after a request: bytes, seconds to wait, or
`HANG_UP`. When it has no more to say the connection stays open, without a word.
"""

from __future__ import annotations

import gc
import gzip
import json
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import repeat
from typing import Any

from support.openai_answers import Raw, Received, Said, Scripted
from support.server import model_server

HANG_UP = None
Behaviour = Callable[[], Iterable[Said]]

STREAM = "Content-Type: text/event-stream"
CHUNKED = "Transfer-Encoding: chunked"
SLOW_S = 0.05
"""Between the bytes of a slow server: far below every timeout, far too long for an answer."""
BLOCK = 64 * 1024


def head(*lines: str, status: str = "200 OK", version: str = "1.1") -> bytes:
    """Return the beginning of an answer."""
    return "\r\n".join([f"HTTP/{version} {status}", *lines, "", ""]).encode("latin-1")


def whole(body: bytes, *lines: str, status: str = "200 OK") -> bytes:
    """Return an answer with its length."""
    return head(*lines, f"Content-Length: {len(body)}", status=status) + body


def chunk(data: bytes) -> bytes:
    """Return a chunk of a body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def event(delta: Any = None, **more: Any) -> bytes:
    """Return an event of a streamed answer."""
    choice = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": None}
    return b"data: " + json.dumps({"model": "m", "choices": [choice], **more}).encode() + b"\n\n"


def chat(text: str = "good", **more: Any) -> bytes:
    """Return the body of an answer."""
    choice = {"message": {"content": text}, "text": text, "finish_reason": "stop"}
    return json.dumps({"model": "m", "choices": [choice], **more}).encode()


def endless(start: bytes, unit: bytes) -> Behaviour:
    """Say `start`, and then `unit` as fast as anybody listens."""
    block = unit * max(1, BLOCK // len(unit))
    return lambda: _chained(start, repeat(block))


def slow(start: bytes, unit: bytes) -> Behaviour:
    """Say `start`, and then `unit` again and again, slowly."""
    return lambda: _chained(start, (said for _ in repeat(None) for said in (unit, SLOW_S)))


def once(*said: Said) -> Behaviour:
    """Say that, and no more."""
    return lambda: said


def later(make: Callable[[], bytes], *more: Said) -> Behaviour:
    """Say what is made when it is needed for the first time, and no more: every worker imports
    these behaviours, and large ones take a second to make."""
    made = cache(make)
    return lambda: [made(), *more]


def _chained(start: bytes, rest: Iterable[Said]) -> Iterator[Said]:
    yield start
    yield from rest


@cache
def bomb(packing: str, size: int = 40_000_000) -> bytes:
    """Return few bytes that decompress to many: to more than any cap."""
    return gzip.compress(bytes(size)) if packing == "gzip" else zlib.compress(bytes(size))


def packed(name: str, *, packing: str = "gzip", status: str = "200 OK") -> Behaviour:
    """Say a bomb, which is made when it is needed."""
    return lambda: [whole(bomb(packing), f"Content-Encoding: {name}", status=status)]


def _many_calls() -> bytes:
    return b"".join(event({"tool_calls": [{"index": n, "function": {}}]}) for n in range(50_000))


def _plain_and_streamed() -> dict[str, Behaviour]:
    """What is as hostile to a request for a stream as to any other."""
    ok = head("Content-Length: 2") + b"ok"
    deep = b"[" * 100_000
    return {
        "nothing": once(),
        "hangs up": once(HANG_UP),
        "a header and silence": once(b"HTTP/1.1 200 OK\r\n"),
        "a status line for ever": endless(b"HTTP/1.1 200 ", b"O"),
        "headers for ever": endless(b"HTTP/1.1 200 OK\r\n", b"a: b\r\n"),
        "one header for ever": endless(b"HTTP/1.1 200 OK\r\na: ", b"x"),
        "one name for ever": endless(b"HTTP/1.1 200 OK\r\n", b"x"),
        "headers slowly": slow(b"HTTP/1.1 200 OK\r\n", b"a"),
        "100 continue for ever": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        "103 hints for ever": endless(b"", b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"),
        "another protocol": once(
            head("Upgrade: h2c", "Connection: Upgrade", status="101 Switching") + b"x" * 99
        ),
        "chunk extensions for ever": endless(head(CHUNKED) + b"1;", b"e=x;"),
        "a chunk size for ever": endless(head(CHUNKED), b"0"),
        "trailers for ever": endless(head(CHUNKED) + chunk(b"{}") + b"0\r\n", b"t: x\r\n"),
        "chunks for ever": endless(head(CHUNKED), chunk(b" " * 1000)),
        "chunks of one byte for ever": endless(head(CHUNKED), chunk(b"x")),
        "a body for ever": endless(head(), b"x"),
        "a body slowly": slow(head(), b"x"),
        "a body slowly in chunks": slow(head(CHUNKED), chunk(b" ")),
        "a huge length": endless(head("Content-Length: 99999999999999"), b" "),
        "a length beyond numbers": once(head("Content-Length: " + "9" * 30) + b"x", HANG_UP),
        "a negative length": once(head("Content-Length: -5") + b"{}", HANG_UP),
        "two lengths": once(head("Content-Length: 2", "Content-Length: 3") + b"{}x", HANG_UP),
        "length and chunks": once(
            head("Content-Length: 2", CHUNKED) + chunk(b"{}") + b"0\r\n\r\n", HANG_UP
        ),
        "a chunk without size": once(head(CHUNKED) + b"\r\n{}\r\n", HANG_UP),
        "a negative chunk": once(head(CHUNKED) + b"-2\r\n{}\r\n", HANG_UP),
        "too little": once(head("Content-Length: 99") + b"{}", HANG_UP),
        "no end of chunks": once(head(CHUNKED) + chunk(b"{}"), HANG_UP),
        "another protocol's words": once(b"SSH-2.0-OpenSSH_9.6\r\n", HANG_UP),
        "zeros": endless(b"", bytes(1)),
        "no JSON": once(whole(b"ok")),
        "bytes that are no text": once(whole(bytes(range(128, 256)) * 100)),
        "a number": once(whole(b"1e999999")),
        "digits": later(lambda: whole(b"9" * 1_000_000)),
        "deep lists": later(lambda: whole(deep)),
        "deep objects": later(lambda: whole(b'{"a":' * 100_000)),
        "deep choices": later(lambda: whole(b'{"choices":' + deep + b"]" * 100_000 + b"}")),
        "many lists": later(lambda: whole(b"[" + b"[]," * 2_000_000 + b"[]]")),
        "many objects": later(lambda: whole(b"[" + b'{"":0},' * 700_000 + b"0]")),
        "many choices": later(lambda: whole(b'{"choices":[' + b"{}," * 2_000_000 + b"{}]}")),
        "a gzip bomb": packed("gzip"),
        "a deflate bomb": packed("deflate", packing="deflate"),
        "packed twice": packed("gzip, gzip"),
        "a brotli body": once(whole(b"\x0b\x00\x80x", "Content-Encoding: br")),
        "a zstandard body": once(whole(b"(\xb5/\xfd\x00", "Content-Encoding: zstd")),
        "half a gzip": once(whole(gzip.compress(chat())[:-12], "Content-Encoding: gzip")),
        "more than a gzip": once(whole(gzip.compress(chat()) + b"x", "Content-Encoding: gzip")),
        "empty gzip blocks for ever": endless(
            head("Content-Encoding: deflate") + b"x\x9c", b"\x00\x00\x00\xff\xff"
        ),
        "an odd encoding": once(whole(ok, "Content-Encoding: \x9b31m" + "x" * 9000)),
        "an error for ever": endless(head(status="500 Oops"), b"busy "),
        "an error in many words": later(lambda: whole(b" a" * 5_000_000, status="400 Bad")),
        "an error of many values": later(
            lambda: whole(b'{"error":[' + b"[]," * 300_000 + b"0]}", status="400 Bad")
        ),
        "an error bomb": packed("gzip", status="401 Unauthorized"),
        "an error in a success": later(
            lambda: whole(b'{"error":{"x":"' + b"a b " * 1_000_000 + b'"}}')
        ),
        "a redirect": once(whole(b"", "Location: http://\x9b31m" + "x" * 9000, status="302 Found")),
        "wait for ever": once(whole(b"{}", "Retry-After: 1e300", status="429 Slow")),
        "wait until the end of time": once(
            whole(b"{}", "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", status="429 Slow")
        ),
        "a text without end": later(lambda: whole(chat("x" * 9_000_000))),
    }


def _streamed() -> dict[str, Behaviour]:
    """What is hostile to a request for a stream alone."""
    stream = head(STREAM, CHUNKED)
    call = {"tool_calls": [{"index": 0, "function": {"arguments": "xx"}}]}
    logprobs = b'data: {"choices":[{"logprobs":{"content":[' + b"[]," * 999 + b"0]}}]}\n\n"
    return {
        "a line for ever": endless(stream, chunk(b"data: " * 100)),
        "a line for ever, byte by byte": endless(stream + chunk(b"data: "), chunk(b"x")),
        "a line slowly": slow(stream + chunk(b"data: "), chunk(b"x")),
        "line ends for ever": endless(stream, chunk(b"\n" * 1000)),
        "comments for ever": endless(stream, chunk(b": ping\n\n")),
        "comments slowly": slow(stream, chunk(b": ping\n\n")),
        "empty events for ever": endless(stream, chunk(b"data: {}\n\n")),
        "empty data for ever": endless(stream, chunk(b"data:\n\n")),
        "texts for ever": endless(stream, chunk(event({"content": "x"}))),
        "texts slowly": slow(stream, chunk(event({"content": "x"}))),
        "pieces of a call for ever": endless(stream, chunk(event(call))),
        "many calls": later(lambda: head(STREAM) + _many_calls(), HANG_UP),
        "logprobs for ever": endless(stream, chunk(logprobs)),
        "events of many choices": endless(
            stream, chunk(b'data: {"choices":[' + b"{}," * 99_999 + b"{}]}\n\n")
        ),
        "events of lists": endless(stream, chunk(b"data: [" + b"[]," * 9999 + b"[]]\n\n")),
        "done for ever": endless(stream, chunk(b"data: [DONE]\n\n")),
        "no end": once(stream + chunk(event({"content": "x"}))),
        "an end without the end": once(head(STREAM) + event({"content": "x"}), HANG_UP),
        "errors for ever": endless(stream, chunk(b'data: {"error": {"message": "busy"}}\n\n')),
        "deep events": once(
            head(STREAM) + b"data: " + b"[" * 100_000 + b"\n\ndata: [DONE]\n\n", HANG_UP
        ),
    }


PLAIN: Mapping[str, Behaviour] = _plain_and_streamed()
STREAMED: Mapping[str, Behaviour] = _streamed()


def honest(request: bytes) -> bytes:
    """Return the answer of a good server."""
    if b'"stream":true' in request.replace(b" ", b""):
        events = event({"content": "good"}) + event({}) + b"data: [DONE]\n\n"
        return whole(events, STREAM)
    return whole(chat())


class HostileServer:
    """A running server."""

    def __init__(self, behaviour: Behaviour | None) -> None:
        self._behaviour = behaviour
        self.port = 0
        self.requests = 0

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def behave(self, behaviour: Behaviour | None) -> None:
        """Do that from now on; None: answer as a good server does."""
        self._behaviour = behaviour

    def serve(self, request: Received) -> Raw | Scripted:
        """Answer a request."""
        self.requests += 1
        if self._behaviour is None:
            return Raw(honest(request.body))
        return Scripted(self._behaviour())


@contextmanager
def hostile_server(behaviour: Behaviour | None) -> Iterator[HostileServer]:
    """Run a server in a thread of its own until the block ends."""
    gc.freeze()  # what there is now, the collection at the end needn't look through
    server = HostileServer(behaviour)
    with model_server(serve=server.serve) as behind:
        server.port = behind.port
        yield server
    # Clients that are killed leave connections that were never quite accepted.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
