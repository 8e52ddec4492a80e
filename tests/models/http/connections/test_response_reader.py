"""What arrives on a connection, read as responses."""

from __future__ import annotations

import asyncio

import pytest
from models.http.http_wire import post, use
from support.server import Raw, model_server

from lve.models.http.connections.pool import HttpTransport
from lve.models.http.connections.response_reader import ResponseReader

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def reader() -> ResponseReader:
    reader = ResponseReader()
    reader.start(None)
    return reader


def test_one_reader_reads_the_responses_of_a_connection() -> None:
    same = reader()
    for _ in range(3):
        assert same.feed(memoryview(ANSWER[:20])) is None
        assert not same.is_complete
        assert same.feed(memoryview(ANSWER[20:])) is None
        assert same.is_complete
        assert same.keeps_alive
        assert same.response().body == b"ok"
        same.start(None)


@pytest.mark.parametrize("more", [ANSWER, b"x"])
def test_what_follows_a_complete_response_is_wrong(more: bytes) -> None:
    same = reader()
    assert same.feed(memoryview(ANSWER + more)) is not None
    assert same.is_complete
    assert same.response().body == b"ok"


def test_a_response_to_no_request_is_wrong() -> None:
    assert "no request" in str(ResponseReader().feed(memoryview(ANSWER)))


def test_a_length_that_is_not_declared_ends_with_the_connection() -> None:
    same = reader()
    assert same.feed(memoryview(b"HTTP/1.1 200 OK\r\n\r\nall")) is None
    assert not same.is_complete
    assert same.feed_eof() is None
    assert same.is_complete
    assert not same.keeps_alive
    assert same.response().body == b"all"


def test_a_declared_length_does_not_end_with_the_connection() -> None:
    same = reader()
    same.feed(memoryview(ANSWER[:-1]))
    assert same.feed_eof() is None
    assert not same.is_complete


@pytest.mark.parametrize("end", ["x", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"])
def test_a_connection_on_which_more_follows_is_not_used_again(end: str) -> None:
    async def idle(transport: HttpTransport) -> int:
        assert (await post(transport)).body == b"ok"
        await asyncio.sleep(0)
        return len(transport._idle)

    with model_server(Raw(ANSWER + end.encode())) as server:
        assert use(server, idle) == 0
    with model_server(Raw(ANSWER)) as server:
        assert use(server, idle) == 1


@pytest.mark.parametrize(
    ("status", "is_passed_on"),
    [(200, True), (201, True), (299, True), (300, False), (404, False), (500, False)],
)
def test_only_the_body_of_a_success_is_streamed(status: int, *, is_passed_on: bool) -> None:
    pieces: list[bytes] = []

    def keep(piece: bytes) -> None:
        pieces.append(piece)

    one = ResponseReader()
    one.start(keep)
    one.feed(memoryview(b"HTTP/1.1 %d X\r\nContent-Length: 2\r\n\r\nok" % status))
    assert one.is_complete
    response = one.response()
    assert (response.status, response.is_success) == (status, is_passed_on)
    assert (b"".join(pieces), response.body) == ((b"ok", b"") if is_passed_on else (b"", b"ok"))
