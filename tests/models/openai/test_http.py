"""Our own transport against bytes on the wire that a polite server would not send."""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
import zlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from support.server import ModelServer, Raw, http, model_server

from lve.errors import ModelError, TransientModelError
from lve.models.openai import body as body_module
from lve.models.openai import http as http_module
from lve.models.openai.endpoint import Endpoint
from lve.models.openai.http import HttpTransport
from lve.models.openai.keys import Secret
from lve.models.openai.transport import HttpResponse

TLS = Path(__file__).parents[2] / "cases" / "tls"
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


def answer_to(data: bytes, *, close: bool = False) -> HttpResponse:
    """Return what the transport makes of these bytes."""
    with model_server(Raw(data, close)) as server:
        response = use(server, post)
    assert isinstance(response, HttpResponse)
    return response


def head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode()


def test_a_request_is_what_the_api_reference_says() -> None:
    with model_server("x") as server:
        use(server, post, headers={"X-Title": "lve"})
        sent = server.requests[0]
    assert (sent.method, sent.path, sent.query) == ("POST", "/v1/chat/completions", "")
    assert sent.json == BODY
    assert sent.headers["host"] == f"127.0.0.1:{server.port}"
    assert sent.headers["authorization"] == "Bearer none"
    assert sent.headers["content-type"] == "application/json"
    assert sent.headers["x-title"] == "lve"
    assert sent.headers["user-agent"].startswith("lve/")


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
        (b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "malformed"),
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


def test_an_endless_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_module, "LARGEST_BODY", 1000)
    with pytest.raises(TransientModelError, match="more than 1000 bytes"):
        answer_to(head("Content-Length: 1001") + b"x" * 1001)


def test_a_compression_bomb_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_module, "LARGEST_BODY", 1000)
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


def test_an_answer_to_no_request_never_reaches_the_next_one() -> None:
    stray = head("Content-Length: 5") + b"st"

    async def twice(transport: HttpTransport) -> list[bytes]:
        first = await post(transport)
        return [first.body, (await post(transport)).body]

    with model_server([Raw(http(200, b"one") + stray), Raw(http(200, b"two"))]) as server:
        assert use(server, twice) == [b"one", b"two"]


def test_a_connection_that_the_server_closes_is_not_used_again() -> None:
    async def twice(transport: HttpTransport) -> list[bytes]:
        first = await post(transport)
        return [first.body, (await post(transport)).body]

    first = Raw(http(200, b"one", "Connection: close\r\n"))
    with model_server([first, Raw(http(200, b"two"))]) as server:
        assert use(server, twice) == [b"one", b"two"]
        assert server.stats()["connections"] == 2


def test_a_stale_connection_is_replaced_without_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_module, "STALE_AFTER_S", -1.0)  # every idle connection may be

    async def twice(transport: HttpTransport) -> bytes:
        await post(transport)
        return (await post(transport)).body

    hung_up = Raw(b"", close=True)
    with model_server([Raw(http(200, b"one")), hung_up, Raw(http(200, b"two"))]) as server:
        assert use(server, twice) == b"two"
        assert len(server.requests) == 3


def test_a_fresh_request_is_never_sent_twice() -> None:
    async def twice(transport: HttpTransport) -> None:
        await post(transport)
        await post(transport)

    with model_server([Raw(http(200, b"one")), Raw(b"", close=True)]) as server:
        with pytest.raises(TransientModelError, match="hung up without an answer"):
            use(server, twice)
        assert len(server.requests) == 2


def test_connections_that_were_idle_for_long_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_module, "IDLE_LIMIT_S", -1.0)

    async def twice(transport: HttpTransport) -> None:
        await post(transport)
        await post(transport)

    with model_server("x") as server:
        use(server, twice)
        assert server.stats()["connections"] == 2


def test_the_body_of_an_error_does_not_go_to_the_reader_of_the_stream() -> None:
    seen: list[bytes] = []

    async def streamed(transport: HttpTransport) -> HttpResponse:
        return await transport.post(PATH, BODY, timeout_s=5, on_data=seen.append)

    with model_server(400) as server:
        response = use(server, streamed)
    assert (seen, response.status) == ([], 400)
    assert "Bad request" in response.body.decode()


def test_a_name_that_does_not_resolve_is_unreachable() -> None:
    async def run() -> None:
        where = Endpoint("openai", "http://no.such.host.invalid/v1", "m", Secret("none"))
        with pytest.raises(TransientModelError) as caught:
            await post(HttpTransport(where, max_connections=1))
        assert caught.value.kind == "unreachable"
        assert not caught.value.was_sent
        assert "no such host" in str(caught.value)

    asyncio.run(run())


def tls_server_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "localhost.pem", TLS / "localhost.key")
    return context


def test_tls_with_a_trusted_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "localhost.pem"))
    with model_server("x", tls=tls_server_context()) as server:
        response = use(server, post)
    assert json.loads(response.body)["choices"][0]["message"]["content"] == "x"


def test_tls_with_an_untrusted_certificate_is_refused_for_good() -> None:
    with (
        model_server("x", tls=tls_server_context()) as server,
        pytest.raises(ModelError) as caught,
    ):
        use(server, post)
    assert (caught.value.kind, caught.value.retryable) == ("tls", False)
    assert not server.requests
