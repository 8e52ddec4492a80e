"""Rates and adaptive concurrency."""

from __future__ import annotations

import asyncio
import time

import pytest

from lve.errors import ModelError, PermanentModelError, TransientModelError
from lve.execution.request_limits import (
    AdaptiveConcurrency,
    ModelLimits,
    TokenBucket,
    expected_tokens,
)
from lve.execution.stop import Stopped, StopSignal
from lve.messages import Message, Tool, ToolCall
from lve.models.chat_model import ChatRequest

REFUSED = TransientModelError("slow down", kind="rate_limit", status=429)
BROKEN = TransientModelError("broken", kind="connection")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def take(bucket: TokenBucket, clock: Clock, amount: float) -> float:
    """Wait until the amount may be taken, take it, and return when that was."""
    clock.now += bucket.wait_s(amount)
    bucket.take(amount)
    return clock.now


def test_bucket_spaces_requests_evenly_after_the_burst() -> None:
    clock = Clock()
    bucket = TokenBucket(120, clock=clock)
    assert [take(bucket, clock, 1) for _ in range(5)] == [0.0, 0.0, 0.5, 1.0, 1.5]


def test_bucket_fills_with_time_up_to_its_burst() -> None:
    clock = Clock()
    bucket = TokenBucket(120, clock=clock)
    for _ in range(2):
        take(bucket, clock, 1)
    clock.now = 1000.0
    assert [take(bucket, clock, 1) for _ in range(3)] == [1000.0, 1000.0, 1000.5]


def test_bucket_gives_more_than_it_holds_and_has_it_paid_back() -> None:
    clock = Clock()
    bucket = TokenBucket(60, clock=clock)
    assert [take(bucket, clock, 10) for _ in range(3)] == [0.0, 10.0, 20.0]


def test_bucket_takes_back() -> None:
    clock = Clock()
    bucket = TokenBucket(60_000, clock=clock)
    assert take(bucket, clock, 1000) == 0.0
    bucket.take(-500)
    assert take(bucket, clock, 500) == 0.0


def test_bucket_rate_holds_over_any_long_time() -> None:
    clock = Clock()
    bucket = TokenBucket(600, clock=clock)
    sent = 0
    while take(bucket, clock, 1) < 60:
        sent += 1
    assert 600 <= sent <= 612


def run_attempts(limit: AdaptiveConcurrency, outcomes: list[TransientModelError | None]) -> None:
    async def attempts() -> None:
        for error in outcomes:
            limit.leave(await limit.enter(), error)

    asyncio.run(attempts())


def test_overload_makes_it_smaller_and_success_larger() -> None:
    limit = AdaptiveConcurrency(64, StopSignal())

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
    limit = AdaptiveConcurrency(8, StopSignal())
    run_attempts(limit, [BROKEN] * 10)
    assert limit.limit == 8


def test_it_never_falls_below_one() -> None:
    limit = AdaptiveConcurrency(8, StopSignal())
    run_attempts(limit, [REFUSED] * 50)
    assert limit.limit == 1


def test_no_more_than_the_limit_are_under_way() -> None:
    limit = AdaptiveConcurrency(3, StopSignal())
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
        limit = AdaptiveConcurrency(1, StopSignal())
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
        stop_signal = StopSignal()
        limit = AdaptiveConcurrency(1, stop_signal)
        await limit.enter()
        waiting = asyncio.ensure_future(limit.enter())
        await asyncio.sleep(0)
        stop_signal.set("interrupted")
        with pytest.raises(Stopped):
            await waiting
        assert limit.in_flight == 1

    asyncio.run(stop())


def test_the_brake_wakes_those_who_wait_for_a_rate() -> None:
    async def stop() -> None:
        stop_signal = StopSignal()
        limits = ModelLimits(
            stop_signal=stop_signal, clock=Clock(), max_connections=1, requests_per_minute=0.001
        )
        await limits.pace(1)
        waiting = asyncio.ensure_future(limits.pace(1))
        await asyncio.sleep(0)
        assert limits.waiting_for_rate == 1
        stop_signal.set("interrupted")
        with pytest.raises(Stopped):
            await waiting
        assert limits.waiting_for_rate == 0

    asyncio.run(stop())


def test_a_correction_lets_the_next_one_go_at_once() -> None:
    async def pace() -> list[float]:
        limits = ModelLimits(
            stop_signal=StopSignal(), clock=Clock(), max_connections=4, tokens_per_minute=600
        )
        counted: list[float] = []
        for _ in range(3):
            # The clock stands still: whoever had to wait for time alone would wait for ever.
            waiting = asyncio.ensure_future(limits.pace(1))
            await asyncio.sleep(0)
            if counted:
                assert not waiting.done()
                limits.correct(counted[-1], 0, 9)
            counted.append(await waiting)
        return counted

    assert asyncio.run(pace()) == [257, 10, 10]


def test_requests_go_in_the_order_in_which_they_came() -> None:
    async def pace() -> list[int]:
        limits = ModelLimits(
            stop_signal=StopSignal(),
            clock=time.monotonic,
            max_connections=4,
            requests_per_minute=6000,
        )
        gone: list[int] = []

        async def one(number: int) -> None:
            await limits.pace(1)
            gone.append(number)

        await asyncio.gather(*(one(number) for number in range(110)))
        return gone

    assert asyncio.run(pace()) == list(range(110))


def test_tools_and_calls_are_part_of_the_expected_tokens() -> None:
    plain = expected_tokens(ChatRequest((Message("hello"),)))
    tools = (Tool("f", "x" * 400),)
    assert expected_tokens(ChatRequest((Message("hello"),), tools=tools)) >= plain + 100
    asks = Message("hello", tool_calls=(ToolCall("1", "f", "x" * 400),))
    assert expected_tokens(ChatRequest((asks,))) >= plain + 100


BAD_REQUEST = PermanentModelError("no", kind="bad_request", status=400)
WRONG_KEY = PermanentModelError("no", kind="authentication", status=401)


def sent_together(outcomes: list[ModelError | None], answer_s: float = 0.01) -> list[int]:
    """Return how many of 12 requests, of 4 at once, were in flight when each was sent."""

    async def run() -> list[int]:
        limits, counts = AdaptiveConcurrency(4, StopSignal()), list[int]()
        limits.probe()
        left = iter(outcomes)

        async def request() -> None:
            ticket = await limits.enter()
            counts.append(limits.in_flight)
            error = next(left, None)
            await asyncio.sleep(answer_s)
            limits.leave(ticket, error)

        await asyncio.gather(*(request() for _ in range(12)))
        return counts

    return asyncio.run(run())


@pytest.mark.parametrize("answer", [None, BAD_REQUEST])
def test_the_first_request_goes_alone_until_a_server_answers_it(
    answer: ModelError | None,
) -> None:
    assert sent_together([answer])[:5] == [1, 4, 4, 4, 4]


def test_requests_go_one_by_one_while_the_key_is_refused() -> None:
    assert sent_together([WRONG_KEY] * 5)[:9] == [1] * 6 + [4] * 3
    assert sent_together([WRONG_KEY] * 20) == [1] * 12


def test_the_others_do_not_wait_long_for_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.execution.request_limits.PROBE_S", 0.05)
    assert sent_together([None], 0.3)[:4] == [1, 4, 4, 4]
    assert sent_together([WRONG_KEY], 0.3)[:5] == [1, 4, 4, 4, 4]


def test_a_refused_probe_gives_the_next_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.execution.request_limits.PROBE_S", 0.2)
    assert sent_together([WRONG_KEY] * 20, 0.05) == [1] * 12


def test_there_is_a_pause_after_each_request_without_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lve.execution.request_limits.PAUSES_S", (0.1, 0.2))
    started = time.monotonic()
    assert sent_together([BROKEN] * 4 + [None])[:6] == [1, 1, 1, 1, 1, 4]
    assert time.monotonic() - started >= 0.3


def test_a_server_that_loads_for_ever_is_asked_by_all_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lve.execution.request_limits.LOADING_PAUSES_S", (0.01,) * 2)
    loading = TransientModelError("loading", kind="overloaded", status=503)
    assert sent_together([loading] * 20)[:4] == [1, 1, 1, 4]


def test_there_is_no_probe_once_requests_were_sent() -> None:
    limits = AdaptiveConcurrency(4, StopSignal())
    asyncio.run(limits.enter())
    limits.probe()
    assert limits.limit == 4
