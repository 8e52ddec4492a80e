"""A server that has never answered is given up soon, with a word on what is probably wrong."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from models.http.proxy import proxy_server
from support.server import Raw, model_server

from lve.errors import ModelError
from lve.execution.budgets.budget import Budget, BudgetCaps
from lve.execution.completer import Completer
from lve.execution.request_limits import ModelLimits
from lve.execution.retry import RetryPolicy
from lve.execution.stop import StopSignal
from lve.messages import Message
from lve.models.chat_model import ChatRequest
from lve.models.http.connections import pool
from lve.models.registry import create_model
from lve.settings.settings import Settings

ROWS, AT_ONCE = 100, 4
MOST = 5
"""Requests to a server that never answers, however many connections there may be."""
QUICK = RetryPolicy(base_s=0.0001, cap_s=0.0001)
TLS_ALERT = bytes.fromhex("15030100020246")


def errors(
    url: str, policy: RetryPolicy = QUICK, rows: int = ROWS, at_once: int = AT_ONCE
) -> list[ModelError]:
    """Ask the server at `url` for all rows; return the errors."""

    async def run() -> list[ModelError]:
        model = create_model("openai/test", Settings(), base_url=url)
        stop = StopSignal()
        limits = ModelLimits(stop_signal=stop, clock=time.monotonic, max_connections=at_once)
        limits.concurrency.probe()
        completer = Completer(
            model, stop_signal=stop, limits=limits, budget=Budget(BudgetCaps(), stop), policy=policy
        )
        workers = asyncio.Semaphore(at_once)

        async def one(row: int) -> object:
            async with workers:
                return await completer.complete(ChatRequest((Message(f"{row}"),)))

        answers = await asyncio.gather(*map(one, range(rows)), return_exceptions=True)
        await model.aclose()
        return [answer for answer in answers if isinstance(answer, ModelError)]

    return asyncio.run(run())


@contextmanager
def listener(*, hangs_up: bool) -> Iterator[tuple[int, list[socket.socket]]]:
    """Listen, and say nothing; yield the port and all connections so far."""
    connections: list[socket.socket] = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                connections.append(listening.accept()[0])
                if hangs_up:
                    connections[-1].close()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=accept)
        thread.start()
        yield listening.getsockname()[1], connections
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
    for connection in connections:
        connection.close()


@pytest.mark.parametrize(
    ("answer", "kind", "hint"),
    [
        (Raw(b"", close=True), "connection", "it has never answered: does it want https://?"),
        (Raw(TLS_ALERT, close=True), "malformed", "does it want https://?"),
        (
            Raw(
                b"HTTP/1.1 400 Bad Request\r\nContent-Length: 48\r\n\r\n"
                b"Client sent an HTTP request to an HTTPS server.\n"
            ),
            "protocol",
            "set the base URL to https://...",
        ),
    ],
    ids=["hangs up", "TLS alert", "says so"],
)
def test_http_to_a_server_that_wants_tls(answer: Raw, kind: str, hint: str) -> None:
    with model_server(answer) as server:
        failures = errors(server.url)
        asked = len(server.requests)
    kinds = Counter(error.kind for error in failures)
    assert kinds.keys() == {kind, "not_asked"}
    assert all(hint in str(error) for error in failures)
    assert asked == MOST


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.execution.request_limits.PAUSES_S", (0.02,) * 4)


@pytest.mark.parametrize("at_once", [1, 64, 200])
@pytest.mark.parametrize("says", [b"", TLS_ALERT], ids=["nothing", "no HTTP"])
def test_a_few_requests_are_enough_with_any_number_of_connections(
    says: bytes, at_once: int
) -> None:
    with model_server(Raw(says, close=True)) as server:
        failures = errors(server.url, rows=300, at_once=at_once)
        assert len(server.requests) == MOST
    assert len(failures) == 300


def test_a_server_that_is_starting_is_waited_for() -> None:
    with model_server([Raw(b"", close=True)] * 4 + ["ok"] * 300) as server:
        assert errors(server.url, rows=300, at_once=64) == []
        assert len(server.requests) == 304


def test_a_server_that_loads_its_model_is_asked_by_one_request_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lve.execution.request_limits.LOADING_PAUSES_S", (0.05,) * 100)
    ready = time.monotonic() + 0.5
    with model_server(lambda _: "ok" if time.monotonic() > ready else 503) as server:
        assert errors(server.url, rows=300, at_once=64) == []
        assert 300 < len(server.requests) < 315


def test_errors_of_different_words_are_the_same_silence() -> None:
    answers = [Raw(b"", close=True), Raw(TLS_ALERT, close=True)] * 150
    with model_server(answers) as server:
        errors(server.url)
        assert len(server.requests) == MOST


def test_where_nothing_listens_no_scheme_is_guessed() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        failures = errors(f"http://127.0.0.1:{unused.getsockname()[1]}/v1")
    assert all("connection refused" in str(error) for error in failures)
    assert not any("does it want" in str(error) for error in failures)


def test_https_to_a_server_that_hangs_up() -> None:
    with listener(hangs_up=True) as (port, connections):
        failures = errors(f"https://127.0.0.1:{port}/v1")
    assert all("does it want http://?" in str(error) for error in failures)
    assert len(connections) == MOST


def test_https_to_a_server_that_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "CONNECT_TIMEOUT_S", 0.1)
    monkeypatch.setattr("lve.execution.retry.FIRST_CONTACT_S", 0.1)
    with listener(hangs_up=False) as (port, connections):
        failures = errors(f"https://127.0.0.1:{port}/v1")
    assert all("no connection within 0.1 s" in str(error) for error in failures)
    assert all("does it want http://?" in str(error) for error in failures)
    assert len(connections) <= 5 + AT_ONCE, "it waits long for each: once is enough"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_wants_a_login(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with proxy_server(login="you:word") as proxy:
        monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{proxy.port}")
        failures = errors(f"{scheme}://api.test/v1")
        name = f"127.0.0.1:{proxy.port}"
    assert all("407: the proxy wants a login: set ALL_PROXY to" in str(e) for e in failures)
    assert all(name in str(error) for error in failures)
    assert len(proxy.targets) == MOST


def test_a_server_that_has_answered_may_hang_up_often() -> None:
    answers = ["ok", *[Raw(b"", close=True)] * 8]
    with model_server(answers) as server:
        failures = errors(server.url, rows=AT_ONCE * 3)
        asked = len(server.requests)
    assert asked > 4 * AT_ONCE * 2
    assert not any("https" in str(error) for error in failures)
    assert "not_asked" not in {error.kind for error in failures}


def test_an_answer_that_breaks_off_is_an_answer() -> None:
    torn = Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", close=True)
    with model_server(torn) as server:
        [error] = errors(server.url, rows=1)
        assert len(server.requests) == QUICK.max_attempts
    assert "hung up during its answer" in str(error)
    assert "https" not in str(error)
