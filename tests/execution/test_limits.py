"""Rates and adaptive concurrency."""

from __future__ import annotations

import asyncio

import pytest

from lve.errors import TransientModelError
from lve.execution.brake import Brake, Stopped
from lve.execution.limits import AdaptiveConcurrency, ModelLimits, TokenBucket

REFUSED = TransientModelError("slow down", kind="rate_limit", status=429)
BROKEN = TransientModelError("broken", kind="connection")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_bucket_spaces_requests_evenly_after_the_burst() -> None:
    bucket = TokenBucket(120, clock=Clock())
    assert [bucket.take(1) for _ in range(5)] == [0.0, 0.0, 0.5, 1.0, 1.5]


def test_bucket_fills_with_time_up_to_its_burst() -> None:
    clock = Clock()
    bucket = TokenBucket(120, clock=clock)
    for _ in range(2):
        bucket.take(1)
    clock.now = 1000.0
    assert [bucket.take(1) for _ in range(3)] == [0.0, 0.0, 0.5]


def test_bucket_can_be_corrected() -> None:
    bucket = TokenBucket(60_000, clock=Clock())
    assert bucket.take(1000) == 0.0
    bucket.correct(-500)
    assert bucket.take(500) == 0.0


def test_bucket_rate_holds_over_any_long_time() -> None:
    clock = Clock()
    bucket = TokenBucket(600, clock=clock)
    sent = 0
    while clock.now < 60:
        clock.now += bucket.take(1)
        sent += 1
    assert 600 <= sent <= 612


def run_attempts(limit: AdaptiveConcurrency, outcomes: list[TransientModelError | None]) -> None:
    async def attempts() -> None:
        for error in outcomes:
            limit.leave(await limit.enter(), error)

    asyncio.run(attempts())


def test_overload_makes_it_smaller_and_success_larger() -> None:
    limit = AdaptiveConcurrency(64, Brake())

    async def fill() -> None:
        tickets = [await limit.enter() for _ in range(64)]
        limit.leave(tickets[0], REFUSED)
        after_one = limit.limit
        limit.leave(tickets[1], REFUSED)
        assert limit.limit == after_one, "one wave of refusals counts once"
        for ticket in tickets[2:]:
            limit.leave(ticket)

    asyncio.run(fill())
    assert 44 < limit.limit < 64
    assert limit.backed_off == {"rate_limit": 1}
    run_attempts(limit, [None] * 2000)
    assert limit.limit == 64


def test_other_failures_do_not_change_it() -> None:
    limit = AdaptiveConcurrency(8, Brake())
    run_attempts(limit, [BROKEN] * 10)
    assert limit.limit == 8


def test_it_never_falls_below_one() -> None:
    limit = AdaptiveConcurrency(8, Brake())
    run_attempts(limit, [REFUSED] * 50)
    assert limit.limit == 1


def test_no_more_than_the_limit_are_under_way() -> None:
    limit = AdaptiveConcurrency(3, Brake())
    most = 0

    async def attempt() -> None:
        nonlocal most
        ticket = await limit.enter()
        most = max(most, limit.in_flight)
        await asyncio.sleep(0)
        limit.leave(ticket)

    async def attempts() -> None:
        await asyncio.gather(*(attempt() for _ in range(50)))

    asyncio.run(attempts())
    assert (most, limit.in_flight) == (3, 0)


def test_a_cancelled_wait_gives_its_place_on() -> None:
    async def cancel() -> int:
        limit = AdaptiveConcurrency(1, Brake())
        ticket = await limit.enter()
        waiting = [asyncio.ensure_future(limit.enter()) for _ in range(2)]
        await asyncio.sleep(0)
        limit.leave(ticket)
        waiting[0].cancel()  # after its turn came, before it ran
        limit.leave(await waiting[1])
        return limit.in_flight

    assert asyncio.run(cancel()) == 0


def test_the_brake_wakes_those_who_wait_for_a_place() -> None:
    async def stop() -> None:
        brake = Brake()
        limit = AdaptiveConcurrency(1, brake)
        await limit.enter()
        waiting = asyncio.ensure_future(limit.enter())
        await asyncio.sleep(0)
        brake.pull("interrupted")
        with pytest.raises(Stopped):
            await waiting
        assert limit.in_flight == 1

    asyncio.run(stop())


def test_the_brake_wakes_those_who_wait_for_a_rate() -> None:
    async def stop() -> None:
        brake = Brake()
        limits = ModelLimits(
            brake=brake, clock=Clock(), max_connections=1, requests_per_minute=0.001
        )
        await limits.pace(1)
        waiting = asyncio.ensure_future(limits.pace(1))
        await asyncio.sleep(0)
        assert limits.waiting_for_rate == 1
        brake.pull("interrupted")
        with pytest.raises(Stopped):
            await waiting
        assert limits.waiting_for_rate == 0

    asyncio.run(stop())
