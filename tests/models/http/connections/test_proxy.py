"""lve's own transport through proxies."""

from __future__ import annotations

import asyncio
import os
import re
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from socket import SHUT_RDWR
from typing import Any

import pytest
from models.http.proxy import proxy_server, refusal
from support.server import ModelServer, Reply, model_server

from lve.errors import ModelError, PermanentModelError, SettingsError, TransientModelError
from lve.messages import Completion, Message
from lve.models.chat_model import ChatRequest
from lve.models.http.connections import proxy as module
from lve.models.http.connections.proxy import proxy_to
from lve.models.registry import create_model
from lve.settings.settings import Settings

TLS = Path(__file__).parents[3] / "cases" / "tls"
LOGIN = "me:hunter%2F2222"


def tls_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "localhost.pem", TLS / "localhost.key")
    return context


@pytest.fixture(autouse=True)
def _trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "localhost.pem"))


def ask(url: str, *prompts: str, stream: bool = False, timeout_s: float = 20.0) -> list[Any]:
    """Ask one prompt after the other; errors are results too."""

    async def run() -> list[Completion | ModelError]:
        model = create_model("openai/x", Settings(), base_url=url)
        results: list[Completion | ModelError] = []
        for prompt in prompts:
            request = ChatRequest((Message(prompt),), stream=stream, timeout_s=timeout_s)
            try:
                results.append(await model.complete(request))
            except ModelError as error:
                results.append(error)
        await model.aclose()
        return results

    return asyncio.run(run())


def through(port: int, scheme: str = "http", login: str = "") -> str:
    host = "localhost" if scheme == "https" else "127.0.0.1"
    return f"{scheme}://{login}@{host}:{port}" if login else f"{scheme}://{host}:{port}"


@pytest.mark.parametrize("proxy_scheme", ["http", "https"])
@pytest.mark.parametrize("server_tls", [False, True])
@pytest.mark.parametrize("stream", [False, True])
def test_requests_go_through_the_proxy_on_one_connection(
    proxy_scheme: str, server_tls: bool, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_tls = tls_context() if proxy_scheme == "https" else None
    with (
        model_server(tls=tls_context() if server_tls else None) as server,
        proxy_server(login="me:hunter/2222", tls=own_tls) as proxy,
    ):
        variable = "HTTPS_PROXY" if server_tls else "http_proxy"
        monkeypatch.setenv(variable, through(proxy.port, proxy_scheme, LOGIN))
        found = ask(server.url, "Compute 1 + 2", "Compute 2 + 2", stream=stream and server_tls)
        assert [completion.text for completion in found] == ["3", "4"]
        requests, stats = server.requests, server.stats()
        targets = proxy.targets
    for request in requests:
        assert not [name for name in request.headers if name.startswith("proxy-")]
    if server_tls:
        assert targets == [f"localhost:{server.port}"]
        assert stats["connections"] == 1
        assert "sk-" not in "".join(proxy.heads)
    else:
        assert targets == [f"{server.url}/chat/completions"] * 2
        assert len(requests) == 2


def test_many_requests_share_the_tunnels(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run(server: ModelServer) -> None:
        model = create_model("openai/x", Settings(), base_url=server.url, max_connections=3)
        requests = [ChatRequest((Message(f"Compute {n} + 0"),)) for n in range(20)]
        found = await asyncio.gather(*map(model.complete, requests))
        assert [completion.text for completion in found] == [str(n) for n in range(20)]
        await model.aclose()

    with model_server(tls=tls_context(), latency_s=0.002) as server, proxy_server() as proxy:
        monkeypatch.setenv("ALL_PROXY", through(proxy.port))
        asyncio.run(run(server))
        assert 1 <= len(proxy.targets) <= 3


@pytest.mark.parametrize("server_tls", [False, True])
@pytest.mark.parametrize("excluded", ["{host}", "{host}:{port}", "127.0.0.0/8,localhost", "*"])
def test_servers_in_no_proxy_are_reached_directly(
    server_tls: bool, excluded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_server("x", tls=tls_context() if server_tls else None) as server:
        host = "localhost" if server_tls else "127.0.0.1"
        monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
        monkeypatch.setenv("NO_PROXY", excluded.format(host=host, port=server.port))
        [found] = ask(server.url, "hi")
    assert found.text == "x"


@pytest.mark.parametrize(
    ("variables", "url", "name"),
    [
        ({}, "https://a.test/v1", None),
        ({"HTTPS_PROXY": "http://p:3128"}, "https://a.test/v1", "p:3128"),
        ({"https_proxy": "http://p:3128"}, "https://a.test/v1", "p:3128"),
        ({"HTTPS_PROXY": "http://p:3128"}, "http://a.test/v1", None),
        ({"HTTP_PROXY": "http://p:3128"}, "http://a.test/v1", "p:3128"),
        ({"HTTP_PROXY": "p"}, "http://a.test/v1", "p:80"),
        ({"ALL_PROXY": "https://p"}, "http://a.test/v1", "p:443"),
        ({"ALL_PROXY": "http://[::1]:3128"}, "http://a.test/v1", "[::1]:3128"),
        ({"ALL_PROXY": "http://q", "HTTPS_PROXY": "http://p"}, "https://a.test/v1", "p:80"),
        ({"HTTPS_PROXY": "", "ALL_PROXY": "http://q"}, "https://a.test/v1", "q:80"),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "a.test"}, "http://a.test/v1", None),
        ({"HTTP_PROXY": "http://p", "no_proxy": ".test, b"}, "http://a.test:8/v1", None),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "test2"}, "http://a.test/v1", "p:80"),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "10.0.0.0/8"}, "http://10.2.3.4:8/v1", None),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "10.0.0.0/8"}, "http://11.2.3.4/v1", "p:80"),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "::1"}, "http://[::1]:8/v1", None),
    ],
)
def test_the_environment_is_read_as_others_do(
    variables: Mapping[str, str], url: str, name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    proxy = proxy_to(url)
    assert (None if proxy is None else proxy.name) == name


def test_a_proxy_never_shows_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", through(1, login=LOGIN))
    proxy = proxy_to("https://a.test/v1")
    assert proxy is not None
    assert proxy.header == "Proxy-Authorization: Basic bWU6aHVudGVyLzIyMjI=\r\n"
    assert "hunter" not in f"{proxy!r} {proxy}"
    assert "bWU6" not in f"{proxy!r} {proxy}"
    assert proxy.hide("a hunter/2222 b bWU6aHVudGVyLzIyMjI= c") == "a *** b *** c"


REFUSALS = [
    ("403 Forbidden", PermanentModelError, "permission", "refuses this server (Forbidden)"),
    ("405 Not Allowed", PermanentModelError, "protocol", "no proxy for CONNECT (Not Allowed)"),
    (
        "502 Bad Gateway",
        TransientModelError,
        "unreachable",
        "can't reach this server (Bad Gateway)",
    ),
    ("503 Busy", TransientModelError, "overloaded", "can't reach this server (Busy)"),
    ("504 me:hunter/2222", TransientModelError, "unreachable", "can't reach this server (me:***)"),
]


@pytest.mark.parametrize(("status", "error", "kind", "message"), REFUSALS)
def test_a_proxy_that_refuses_a_tunnel_is_named(
    status: str, error: type[ModelError], kind: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with proxy_server(says=refusal(status)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", through(proxy.port, login=LOGIN))
        [found] = ask("https://api.test/v1", "hi")
    assert (type(found), found.kind, found.status) == (error, kind, int(status[:3]))
    assert message in str(found)
    assert f"https://api.test/v1 (through the proxy 127.0.0.1:{proxy.port})" in str(found)
    assert not found.was_sent
    assert "hunter" not in f"{found} {found!r} {vars(found)}"


@pytest.mark.parametrize("url", ["http://api.test/v1", "https://api.test/v1"])
@pytest.mark.parametrize(
    ("login", "message"),
    [
        ("", "wants a login: set ALL_PROXY to http://USER:PASSWORD@127.0.0.1:{port}"),
        (LOGIN, "doesn't accept the user and password in ALL_PROXY"),
    ],
    ids=["none", "another"],  # pytest's own variable has them: a URL there has a password
)
def test_a_proxy_that_wants_another_login_is_named(
    url: str, login: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with proxy_server(login="you:word") as proxy:
        monkeypatch.setenv("ALL_PROXY", through(proxy.port, login=login))
        [found] = ask(url, "hi")
    assert (type(found), found.kind, found.status) == (PermanentModelError, "authentication", 407)
    assert message.format(port=proxy.port) in str(found)
    assert f"(through the proxy 127.0.0.1:{proxy.port})" in str(found)
    assert "hunter" not in str(found)


@pytest.mark.parametrize("url", ["http://api.test/v1", "https://api.test/v1"])
def test_a_login_that_lve_cannot_do_is_named(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with proxy_server(says=refusal("407 Login", "Negotiate")) as proxy:
        monkeypatch.setenv("ALL_PROXY", through(proxy.port, login=LOGIN))
        [found] = ask(url, "hi")
    assert "wants a login by Negotiate" in str(found)


@pytest.mark.parametrize("status", [403, 502, 503, 504])
def test_a_page_instead_of_an_answer_names_the_proxy(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = refusal(f"{status} No", body="<p>no, me:hunter/2222, bWU6aHVudGVyLzIyMjI=</p>")
    with proxy_server(says=page) as proxy:
        monkeypatch.setenv("http_proxy", through(proxy.port, login=LOGIN))
        [found] = ask("http://api.test/v1", "hi")
    assert found.status == status
    assert str(found).endswith(f"(through the proxy 127.0.0.1:{proxy.port})")
    assert "hunter" not in str(found)
    assert "bWU6aHVudGVyLzIyMjI=" not in str(found)


def test_what_the_server_says_through_a_proxy_is_the_servers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with model_server(503) as server, proxy_server() as proxy:
        monkeypatch.setenv("http_proxy", through(proxy.port))
        [found] = ask(server.url, "hi")
    assert (found.kind, found.status) == ("overloaded", 503)
    assert "proxy" not in str(found)


@pytest.mark.parametrize(
    ("says", "message"),
    [
        (b"SSH-2.0-OpenSSH\r\n\r\n", "doesn't speak HTTP"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000, "more than 65536 bytes of headers"),
        (b"HTTP/1.1 20", "no connection within 0.5 s"),
        (b"", "the proxy hung up"),
    ],
)
def test_an_answer_that_is_none_is_an_error_in_time(
    says: bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with proxy_server(says=says) as proxy:
        monkeypatch.setenv("https_proxy", through(proxy.port))
        started = time.perf_counter()
        [found] = ask("https://api.test/v1", "hi", timeout_s=0.5)
        assert time.perf_counter() - started < 5
    assert isinstance(found, TransientModelError)
    assert message in str(found)


@pytest.mark.parametrize("url", ["http://api.test/v1", "https://api.test/v1"])
def test_a_proxy_that_hangs_is_cut_off(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with proxy_server(hangs=True) as proxy:
        monkeypatch.setenv("ALL_PROXY", through(proxy.port))
        started = time.perf_counter()
        [found] = ask(url, "hi", timeout_s=0.1)
        assert time.perf_counter() - started < 5
    assert isinstance(found, TransientModelError)
    assert re.search(r"no (connection|answer) within 0\.1 s", str(found))
    if url.startswith("https"):
        assert f"(through the proxy 127.0.0.1:{proxy.port})" in str(found)


def test_a_server_whose_certificate_is_not_trusted_is_refused_through_a_tunnel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with model_server("x", tls=tls_context()) as server, proxy_server() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", through(proxy.port))
        [found] = ask(server.url, "hi")
        assert not server.requests
    assert (found.kind, found.retryable) == ("tls", False)


def test_the_servers_name_is_checked_not_the_proxys(monkeypatch: pytest.MonkeyPatch) -> None:
    with model_server("x", tls=tls_context()) as server, proxy_server(tls=tls_context()) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", through(proxy.port, "https"))
        [found] = ask(f"https://127.0.0.2:{server.port}/v1", "hi")
    assert isinstance(found, ModelError)


def test_a_tunnel_that_breaks_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        model_server([Reply("a"), Reply("b")], tls=tls_context()) as server,
        proxy_server() as proxy,
    ):
        monkeypatch.setenv("HTTPS_PROXY", through(proxy.port))

        async def run() -> list[str]:
            model = create_model("openai/x", Settings(), base_url=server.url)
            texts = [(await model.complete(ChatRequest((Message("x"),)))).text]
            for writer in proxy.writers:
                with suppress(OSError):  # its other end may have closed already
                    writer.get_extra_info("socket").shutdown(SHUT_RDWR)
            await asyncio.sleep(0.05)
            texts.append((await model.complete(ChatRequest((Message("x"),)))).text)
            await model.aclose()
            return texts

        assert asyncio.run(run()) == ["a", "b"]
        assert len(proxy.targets) == 2


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("ALL_PROXY", "socks5://user:word@localhost:9", "client: openai}` to the model's settings"),
        ("ALL_PROXY", "socks5h://user:word@localhost:9", "httpx[socks]"),
        ("HTTP_PROXY", "ftp://user:word@localhost:9", "is written http://HOST:PORT"),
        ("HTTP_PROXY", "http://user:word@:9", "is written http://HOST:PORT"),
        ("HTTP_PROXY", "http://user:word@localhost:0", "is written http://HOST:PORT"),
        ("HTTP_PROXY", f"http://user:word@{'a' * 64}:9", "is written http://HOST:PORT"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_refused_without_its_password(
    variable: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(SettingsError) as caught:
        create_model("openai/x", Settings(), base_url="http://model.test/v1")
    assert f"({variable})" in str(caught.value)
    assert said in str(caught.value)
    assert "word" not in str(caught.value).replace("password", "")


def test_names_of_variables_are_those_that_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://p")
    monkeypatch.setenv("ALL_PROXY", "")
    assert [name for name in module.proxy_variables() if name in os.environ] == ["https_proxy"]
