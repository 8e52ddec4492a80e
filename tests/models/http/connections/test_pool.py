"""lve's own transport, with bytes that a well-behaved server would not send."""

from __future__ import annotations

import asyncio
import json
import ssl
from pathlib import Path

import pytest
from models.http.http_wire import BODY, post, use
from support.hostile_server import head
from support.server import Raw, http, model_server

from lve.errors import ModelError, TransientModelError
from lve.models.http.connections import pool as http_module
from lve.models.http.connections.pool import HttpTransport
from lve.models.http.endpoint import Endpoint
from lve.models.http.keys import Secret

TLS = Path(__file__).parents[3] / "cases" / "tls"


def tls_server_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "localhost.pem", TLS / "localhost.key")
    return context


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


def test_a_server_that_accepts_no_connection_in_time_got_no_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_module, "CONNECT_TIMEOUT_S", 0.0)
    with model_server("x") as server:
        with pytest.raises(TransientModelError, match="no connection within 0 s") as caught:
            use(server, post)
        assert server.requests == []
    assert not caught.value.was_sent


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


def test_a_name_that_does_not_resolve_is_unreachable() -> None:
    async def run() -> None:
        where = Endpoint("openai", "http://no.such.host.invalid/v1", "m", Secret("none"))
        with pytest.raises(TransientModelError) as caught:
            await post(HttpTransport(where, max_connections=1))
        assert caught.value.kind == "unreachable"
        assert not caught.value.was_sent
        assert "no such host" in str(caught.value)

    asyncio.run(run())


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


def test_a_request_that_fails_or_is_given_up_leaves_its_place_to_others() -> None:
    async def many(transport: HttpTransport) -> bytes:
        for _ in range(5):  # more than may be under way
            with pytest.raises(TransientModelError, match="hung up"):
                await post(transport)
            sent = asyncio.ensure_future(post(transport))
            await asyncio.sleep(0)  # it begins to connect
            sent.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sent
        return (await post(transport)).body

    hung_up = Raw(b"", close=True)
    with model_server([*[hung_up] * 5, Raw(http(200, b"at last"))]) as server:
        assert use(server, lambda it: asyncio.wait_for(many(it), 60)) == b"at last"
