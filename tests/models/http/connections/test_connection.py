"""Bytes that a well-behaved server would not send."""

from __future__ import annotations

import asyncio
import gc
import gzip
import tracemalloc
import zlib

import pytest
from models.http.http_wire import BODY, PATH, post, use
from support.hostile_server import head
from support.server import Raw, http, model_server

from lve.errors import PermanentModelError, TransientModelError
from lve.models.error_kinds import MODEL_WIDE_KINDS
from lve.models.http.connections import body as body_module
from lve.models.http.connections import response_reader
from lve.models.http.connections.connection import Connection
from lve.models.http.connections.pool import HttpTransport
from lve.models.http.connections.transport import BufferLimit, HttpResponse


def answer_to(data: bytes, *, close: bool = False) -> HttpResponse:
    """Return what the transport makes of these bytes."""
    with model_server(Raw(data, close)) as server:
        response = use(server, post)
    assert isinstance(response, HttpResponse)
    return response


def test_a_body_may_come_in_chunks() -> None:
    data = head("Transfer-Encoding: chunked") + b"3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\n\r\n"
    assert answer_to(data).body == b"abcde"


def test_a_body_without_length_ends_with_the_connection() -> None:
    assert answer_to(head("X: y") + b"all of it", close=True).body == b"all of it"


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(b"packed", mtime=0)),
        ("x-gzip", gzip.compress(b"packed", mtime=0)),
        ("deflate", zlib.compress(b"packed")),
        ("identity", b"packed"),
    ],
)
def test_a_body_may_be_compressed(encoding: str, body: bytes) -> None:
    data = head(f"Content-Encoding: {encoding}", f"Content-Length: {len(body)}") + body
    assert answer_to(data).body == b"packed"


def test_header_names_are_lower_case_and_values_are_kept() -> None:
    response = answer_to(http(429, b"{}", "Retry-After: 3\r\nX-Odd: \xe9\r\n"))
    assert (response.status, response.headers["retry-after"]) == (429, "3")


def test_an_informational_answer_is_passed_over() -> None:
    data = b"HTTP/1.1 100 Continue\r\n\r\n" + head("Content-Length: 2") + b"ok"
    assert answer_to(data).body == b"ok"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "connection"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", "connection"),
        (head("Content-Length: 100") + b"only this", "connection"),
        (head("Transfer-Encoding: chunked") + b"5\r\nab", "connection"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "malformed"),
        (head("Transfer-Encoding: chunked") + b"zz\r\n", "malformed"),
        (head("Content-Length: x"), "malformed"),
        (head("Content-Length: 1", "Content-Length: 2") + b"ab", "malformed"),
        (head("Content-Encoding: br", "Content-Length: 1") + b"x", "malformed"),
        (head("Content-Encoding: gzip", "Content-Length: 3") + b"abc", "malformed"),
    ],
)
def test_what_is_not_a_whole_answer_is_worth_another_try(data: bytes, kind: str) -> None:
    with pytest.raises(TransientModelError) as caught:
        answer_to(data, close=True)
    assert caught.value.kind == kind


def test_another_protocol_is_not_tried_again() -> None:
    with pytest.raises(PermanentModelError, match="another protocol") as caught:
        answer_to(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
    assert caught.value.kind in MODEL_WIDE_KINDS


def test_an_endless_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_module, "MAX_BODY_BYTES", 1000)
    with pytest.raises(TransientModelError, match="more than 1000 bytes"):
        answer_to(head("Content-Length: 1001") + b"x" * 1001)


@pytest.mark.parametrize(
    ("chunks", "said"), [(300, "hung up during its answer"), (400, "more than 1000 bytes")]
)
def test_an_answer_with_its_framing_is_at_most_twice_the_largest_body(
    chunks: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(response_reader, "MAX_BODY_BYTES", 1000)
    data = head("Transfer-Encoding: chunked") + b"1\r\nx\r\n" * chunks
    with pytest.raises(TransientModelError, match=said):
        answer_to(data, close=True)


def test_a_compression_bomb_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_module, "MAX_BODY_BYTES", 1000)
    bomb = gzip.compress(bytes(10_000_000))
    data = head("Content-Encoding: gzip", f"Content-Length: {len(bomb)}") + bomb
    with pytest.raises(TransientModelError, match="more than 1000 bytes"):
        answer_to(data)


def test_nothing_but_compression_is_cut_off_early() -> None:
    bomb = head("Content-Encoding: gzip") + gzip.compress(bytes(9_000_000))
    with pytest.raises(TransientModelError, match="more than 200 times as much"):
        answer_to(bomb)


def test_long_answers_that_say_the_same_again_and_again_are_read() -> None:
    long = b"".join(b"%d: again and again and again\n" % number for number in range(200_000))
    for body in (long, b"again " * 600_000):
        packed = gzip.compress(body)
        data = head("Content-Encoding: gzip", f"Content-Length: {len(packed)}") + packed
        assert answer_to(data).body == body


def test_the_body_of_an_error_does_not_go_to_the_reader_of_the_stream() -> None:
    seen: list[bytes] = []

    async def streamed(transport: HttpTransport) -> HttpResponse:
        return await transport.post(PATH, BODY, timeout_s=5, on_data=seen.append)

    with model_server(400) as server:
        response = use(server, streamed)
    assert (seen, response.status) == ([], 400)
    assert "Bad request" in response.body.decode()


def live_connections() -> int:
    gc.collect()
    return sum(type(found) is Connection for found in gc.get_objects())


def test_nothing_keeps_the_connection_of_a_cancelled_request() -> None:
    async def cancelled(transport: HttpTransport) -> int:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(post(transport), 0.2)
        await asyncio.sleep(0.01)  # the event loop closes the socket
        return live_connections()

    before = live_connections()
    with model_server(Raw(b"")) as server:
        assert use(server, cancelled) <= before
        assert server.requests


def test_connections_read_into_the_same_memory() -> None:
    async def taken() -> int:
        held, loop = BufferLimit(), asyncio.get_running_loop()
        assert len(Connection("http://server", loop, held).get_buffer(-1)) >= 4096
        tracemalloc.start()
        connections = [Connection("http://server", loop, held) for _ in range(100)]
        now, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return now // len(connections)

    assert asyncio.run(taken()) < 4096
