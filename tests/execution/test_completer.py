"""From a request to a completion: retries, cache, budget, deadline."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.known_secrets import knowing

from lve.errors import (
    AdjustedRequestError,
    BudgetError,
    ModelError,
    PermanentModelError,
    SessionError,
    TransientModelError,
)
from lve.execution.budgets.budget import Amount, Budget, BudgetCaps
from lve.execution.cache.cache import CompletionCache, request_key
from lve.execution.completer import Completer
from lve.execution.request_limits import ModelLimits
from lve.execution.retry import RetryPolicy
from lve.execution.stop import Stopped, StopSignal
from lve.messages import Completion, Message, Usage
from lve.models.chat_model import ChatModel, ChatRequest
from lve.models.scripted import ScriptedAnswer, ScriptedModel

QUICK = RetryPolicy(max_attempts=4, base_s=0.0001, cap_s=0.0001)
BUSY = TransientModelError("busy", kind="overloaded", status=503)
TORN = TransientModelError("torn", kind="connection")
REFUSED = PermanentModelError("bad", kind="bad_request", status=400)


class Model:
    """Gives what it is told to, one after the other, the last one for ever."""

    name = "test/model"
    identity: Mapping[str, Any] | None = {"provider": "test"}

    def __init__(self, *outcomes: str | Completion | ModelError) -> None:
        self.outcomes = list(outcomes)
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> Completion:
        self.requests.append(request)
        await asyncio.sleep(0)
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        if isinstance(outcome, ModelError):
            raise outcome
        return outcome if isinstance(outcome, Completion) else Completion(outcome)

    async def aclose(self) -> None:
        pass


def completer(model: ChatModel, stop_signal: StopSignal | None = None, **options: Any) -> Completer:
    stop_signal = stop_signal or StopSignal()
    clock = options.pop("clock", None) or (lambda: 0.0)
    caps = options.pop("caps", BudgetCaps())
    return Completer(
        model,
        stop_signal=stop_signal,
        limits=ModelLimits(
            stop_signal=stop_signal, clock=clock, max_connections=options.pop("max_connections", 4)
        ),
        budget=Budget(caps, stop_signal),
        policy=options.pop("policy", QUICK),
        rng=lambda: 0.5,
        clock=clock,
        **options,
    )


def request(text: str = "hello", **fields: Any) -> ChatRequest:
    return ChatRequest((Message(text),), **fields)


def ask(made: Completer, asked: ChatRequest | None = None) -> Completion:
    return asyncio.run(made.complete(asked or request()))


def with_cache(path: Path, use: Callable[[CompletionCache], Awaitable[None]]) -> None:
    async def run() -> None:
        cache = CompletionCache.open(path / "cache.db", warn=pytest.fail)
        assert cache is not None
        await use(cache)
        cache.close()

    asyncio.run(run())


async def until_backing_off(made: Completer) -> None:
    while not made.traffic.waiting_for_retry:  # noqa: ASYNC110 (a count, not an event)
        await asyncio.sleep(0)


def test_transient_failures_are_tried_again() -> None:
    model = Model(BUSY, TORN, "four")
    made = completer(model)
    assert ask(made).text == "four"
    assert made.traffic.requests == 3
    assert made.traffic.failures == {"overloaded": 1, "connection": 1}


def test_it_gives_up_after_the_last_attempt() -> None:
    model = Model(BUSY)
    with pytest.raises(TransientModelError, match=r"busy \(after 4 attempts\)"):
        ask(completer(model))
    assert len(model.requests) == 4


def test_a_server_that_was_never_reached_is_given_up_sooner_than_one_that_answered() -> None:
    gone = TransientModelError("gone", kind="unreachable", was_sent=False)
    patient = RetryPolicy(max_attempts=9, base_s=0.0001, cap_s=0.0001)
    with pytest.raises(TransientModelError, match=r"gone \(after 4 attempts\)"):
        ask(completer(Model(gone), policy=patient))
    made = completer(Model("four", gone), policy=patient)
    assert ask(made).text == "four"
    with pytest.raises(TransientModelError, match=r"gone \(after 9 attempts\)"):
        ask(made)


def test_a_model_that_refuses_everything_is_not_asked_for_ever() -> None:
    model = Model(PermanentModelError("401: no", kind="authentication", status=401))
    made = completer(model)

    async def run() -> list[str]:
        failures = [await failure(made) for _ in range(20)]
        return [error.kind for error in failures]

    assert asyncio.run(run()) == ["authentication"] * 5 + ["not_asked"] * 15
    assert len(model.requests) == 5
    assert made.traffic.failures == {"authentication": 5}
    assert made.limits.concurrency.in_flight == 0


async def failure(made: Completer) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await made.complete(request())
    return caught.value


def test_a_request_that_is_written_anew_is_sent_at_once_and_counts_twice() -> None:
    adjusted = AdjustedRequestError("no max_tokens", kind="adjusted", status=400)
    slow = RetryPolicy(max_attempts=4, base_s=1e9, cap_s=1e9)
    made = completer(Model(adjusted, "four"), policy=slow, caps=BudgetCaps(requests=2))
    assert ask(made).text == "four"
    assert made.traffic.requests == 2
    with pytest.raises(BudgetError):
        ask(completer(Model(adjusted, "four"), policy=slow, caps=BudgetCaps(requests=1)))


def test_an_answer_that_cannot_be_stored_is_returned_and_ends_the_session() -> None:
    class FullStore:
        claims = None

        def __init__(self) -> None:
            self.asking: dict[str, list[asyncio.Future[None]]] = {}

        def get(self, key: str) -> Completion | None:
            return None

        async def put(self, key: str, completion: Completion, *, model: str = "") -> None:
            raise SessionError("the disk is full")

    signal = StopSignal()
    made = completer(Model("four"), signal, cache=FullStore(), key_of=lambda _: "00")
    assert ask(made).text == "four"
    assert signal.reason == "failure"
    assert str(made.store_failure) == "the disk is full"


def test_permanent_failures_fail_at_once() -> None:
    model = Model(REFUSED)
    with pytest.raises(PermanentModelError, match="bad"):
        ask(completer(model))
    assert len(model.requests) == 1


def test_a_hanging_attempt_is_cut_at_the_deadline() -> None:
    class Hanging(Model):
        async def complete(self, request: ChatRequest) -> Completion:
            await asyncio.sleep(3600)
            raise AssertionError

    made = completer(Hanging("x"), policy=RetryPolicy(deadline_s=0.01))
    with pytest.raises(TransientModelError, match="deadline"):
        ask(made)


class Slow(Model):
    """Takes five seconds by its own clock."""

    now = 0.0

    async def complete(self, request: ChatRequest) -> Completion:
        self.now += 5
        return await super().complete(request)

    def clock(self) -> float:
        return self.now


def test_waiting_for_its_turn_takes_nothing_of_the_deadline() -> None:
    model = Slow("one", "two", BUSY, "three")
    policy = RetryPolicy(base_s=0.0001, deadline_s=12)
    made = completer(model, clock=model.clock, policy=policy, max_connections=1)

    async def ask_all() -> list[Completion]:
        return await asyncio.gather(*(made.complete(request(str(n))) for n in range(3)))

    # The third begins after 10 s, fails, and has 7 of its own 12 s left.
    assert [completion.text for completion in asyncio.run(ask_all())] == ["one", "two", "three"]


def test_attempts_and_delays_use_the_deadline_up() -> None:
    model = Slow(BUSY)
    policy = RetryPolicy(base_s=0.0001, deadline_s=12)
    with pytest.raises(TransientModelError, match="3 attempts"):
        ask(completer(model, clock=model.clock, policy=policy))
    assert len(model.requests) == 3


def test_a_server_that_asks_for_more_patience_than_there_is_is_quoted() -> None:
    patience = TransientModelError("limit reached", kind="rate_limit", retry_after_s=700)
    with pytest.raises(TransientModelError) as caught:
        ask(completer(Model(patience)))
    assert str(caught.value) == (
        "limit reached (the server asks to wait 700 s, beyond the deadline of 600 s (--deadline))"
    )


def test_the_timeout_holds_for_models_that_do_not_hold_it_themselves() -> None:
    model = ScriptedModel([ScriptedAnswer("late", delay_s=3600)] * 2)
    made = completer(model, policy=RetryPolicy(max_attempts=1))
    with pytest.raises(TransientModelError, match=r"no answer within 0.01 s") as caught:
        ask(made, request(timeout_s=0.01))
    assert caught.value.kind == "timeout"
    assert made.traffic.failures == {"timeout": 1}


def test_a_model_that_holds_the_timeout_is_not_watched() -> None:
    class Careful(Model):
        holds_timeout = True

        async def complete(self, request: ChatRequest) -> Completion:
            await asyncio.sleep(0.02)
            return Completion("in time, it says")

    assert ask(completer(Careful("x")), request(timeout_s=0.001)).text == "in time, it says"


@pytest.mark.parametrize(
    "outcome",
    [RecursionError("deep"), KeyError("x"), None, "text", Completion("x", usage=Usage(-5))],
)
def test_a_model_that_crashes_ends_the_request_and_not_the_session(outcome: object) -> None:
    class Foreign(Model):
        async def complete(self, request: ChatRequest) -> Any:
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

    made = completer(Foreign("x"))
    with pytest.raises(PermanentModelError, match=r"test/model crashed: ") as caught:
        ask(made)
    assert caught.value.kind == "model_crash"
    assert made.limits.concurrency.in_flight == 0


def test_a_place_is_given_back_during_back_off() -> None:
    async def watch() -> int:
        made = completer(Model(BUSY), policy=RetryPolicy(base_s=60, cap_s=60))
        task = asyncio.ensure_future(made.complete(request()))
        await until_backing_off(made)
        in_flight = made.limits.concurrency.in_flight
        task.cancel()
        await asyncio.wait([task])
        return in_flight

    assert asyncio.run(watch()) == 0


def test_the_brake_ends_back_off_and_forbids_sending() -> None:
    async def stop() -> int:
        stop_signal = StopSignal()
        model = Model(BUSY)
        made = completer(model, stop_signal, policy=RetryPolicy(base_s=60, cap_s=60))
        task = asyncio.ensure_future(made.complete(request()))
        await until_backing_off(made)
        stop_signal.set("interrupted")
        with pytest.raises(Stopped):
            await task
        with pytest.raises(Stopped):
            await made.complete(request())
        return len(model.requests)

    assert asyncio.run(stop()) == 1


def test_a_kept_completion_is_not_asked_for_again(tmp_path: Path) -> None:
    model = Model("one", "two", "three")

    async def use(cache: CompletionCache) -> None:
        options: dict[str, Any] = {
            "cache": cache,
            "key_of": partial(request_key, {"provider": "test"}),
        }
        made = completer(model, **options)
        assert (await made.complete(request())).text == "one"
        again = await made.complete(request())
        assert (again.text, again.cached) == ("one", True)
        assert (await made.complete(request(repeat=1))).text == "two"
        refreshing = completer(model, read_cache=False, **options)
        assert (await refreshing.complete(request())).text == "three"
        assert (await made.complete(request())).text == "three"
        assert (made.traffic.requests, made.traffic.cached) == (2, 2)

    with_cache(tmp_path, use)


def test_errors_are_not_kept(tmp_path: Path) -> None:
    model = Model(REFUSED, "fine")

    async def use(cache: CompletionCache) -> None:
        made = completer(model, cache=cache, key_of=partial(request_key, {}))
        with pytest.raises(PermanentModelError):
            await made.complete(request())
        assert (await made.complete(request())).text == "fine"

    with_cache(tmp_path, use)


def test_the_same_request_twice_at_once_is_harmless(tmp_path: Path) -> None:
    model = Model("same")

    async def use(cache: CompletionCache) -> None:
        made = completer(model, cache=cache, key_of=partial(request_key, {}))
        answers = await asyncio.gather(*(made.complete(request()) for _ in range(10)))
        assert {answer.text for answer in answers} == {"same"}
        assert (await made.complete(request())).cached

    with_cache(tmp_path, use)


def test_every_attempt_counts_against_the_budget() -> None:
    model = Model(BUSY, BUSY, "late")
    with pytest.raises(BudgetError, match="2 of 2 requests"):
        ask(completer(model, caps=BudgetCaps(requests=2)))
    assert len(model.requests) == 2


def test_a_bound_is_sent_with_a_budget_and_does_not_change_the_key(tmp_path: Path) -> None:
    model = Model(Completion("short", finish_reason="stop", usage=Usage(1, 1)))

    async def use(cache: CompletionCache) -> None:
        key_of = partial(request_key, {})
        await completer(model, cache=cache, key_of=key_of, caps=BudgetCaps(tokens=10_000)).complete(
            request()
        )
        assert model.requests[0].args["max_tokens"] == 4096
        assert (await completer(model, cache=cache, key_of=key_of).complete(request())).cached

    with_cache(tmp_path, use)


def test_an_answer_cut_by_the_last_of_the_budget_is_no_result() -> None:
    cut = Completion("sho", finish_reason="length", usage=Usage(1, 299))
    with pytest.raises(BudgetError, match="too little to answer"):
        ask(completer(Model(cut), caps=BudgetCaps(tokens=300)))


def test_an_answer_longer_than_the_imposed_bound_is_an_error() -> None:
    cut = Completion("sho", finish_reason="length", usage=Usage(1, 4096))
    with pytest.raises(PermanentModelError, match="set max_tokens") as caught:
        ask(completer(Model(cut), caps=BudgetCaps(tokens=300_000)))
    assert caught.value.kind == "too_long"


def test_an_answer_that_something_else_cut_is_as_without_a_budget() -> None:
    cut = Completion("sho", finish_reason="length", usage=Usage(1, 100))
    for tokens in (3_000, 300_000):
        assert ask(completer(Model(cut), caps=BudgetCaps(tokens=tokens))) == cut


def test_a_torn_answer_stays_on_the_bill_and_a_refusal_does_not() -> None:
    async def spend(failure: TransientModelError) -> int:
        stop_signal = StopSignal()
        budget = Budget(BudgetCaps(tokens=100_000), stop_signal)
        made = Completer(
            Model(failure, Completion("ok", usage=Usage(1, 1))),
            stop_signal=stop_signal,
            limits=ModelLimits(stop_signal=stop_signal, clock=lambda: 0.0, max_connections=1),
            budget=budget,
            policy=QUICK,
        )
        await made.complete(request(args={"max_tokens": 50}))
        return budget.spent.tokens

    assert asyncio.run(spend(BUSY)) == 2
    assert asyncio.run(spend(TORN)) > 50


def test_a_request_that_never_reached_the_server_spends_nothing() -> None:
    unreachable = TransientModelError("refused", kind="connection", was_sent=False)
    made = completer(Model(unreachable), caps=BudgetCaps(tokens=1000, requests=9))
    with pytest.raises(TransientModelError, match="refused"):
        ask(made)
    assert made._budget.spent == Amount()
    assert made._budget._reserved == Amount()


def test_a_reservation_is_not_made_once_the_session_stops() -> None:
    """Others' answers make room for the last requests, and end the session at the same time."""
    stop_signal = StopSignal()
    made = completer(
        Model(Completion("x", usage=Usage(5, 5))), stop_signal, caps=BudgetCaps(tokens=1000)
    )

    async def one(size: int) -> None:
        try:
            await made.complete(request(args={"max_tokens": size}))
        except BudgetError:
            stop_signal.set("budget")
        except Stopped:
            pass

    async def scenario() -> None:
        await asyncio.gather(*(one(size) for size in (850, 990, 200, 210, 300, 100)))

    asyncio.run(scenario())
    assert made._budget.spent.requests == made.traffic.requests
    assert made._budget.spent.tokens == 10 * made.traffic.requests


def test_who_waits_for_a_place_saves_up_no_rate() -> None:
    """After a stall the requests that were kept waiting go at the pace of the settings."""
    stop_signal, model = StopSignal(), Model("x")
    made = completer(model, stop_signal)
    made.limits = ModelLimits(
        stop_signal=stop_signal, clock=time.monotonic, max_connections=1, requests_per_minute=12_000
    )

    async def scenario() -> float:
        ticket = await made.limits.concurrency.enter()
        waiting = [asyncio.ensure_future(made.complete(request(str(n)))) for n in range(300)]
        await asyncio.sleep(0.4)  # the stall: eighty requests' worth
        made.limits.concurrency.leave(ticket)
        began = time.monotonic()
        await asyncio.gather(*waiting)
        return time.monotonic() - began

    # 200 may go at once (what a second allows), the other hundred take half a second.
    assert asyncio.run(scenario()) >= 0.45


@pytest.mark.parametrize("kind", [TransientModelError, PermanentModelError])
@pytest.mark.parametrize("attempts", [1, 2])
def test_a_servers_error_repeats_no_secret(kind: type[ModelError], attempts: int) -> None:
    """Servers may repeat headers in it."""
    with knowing("s3cr3t-k3y-of-mine"):
        error = kind("wrong key: s3cr3t-k3y-of-mine", kind="overloaded")
        policy = RetryPolicy(max_attempts=attempts, base_s=0.0001, cap_s=0.0001)
        with pytest.raises(ModelError) as raised:
            asyncio.run(completer(Model(error), policy=policy).complete(ChatRequest()))
    assert "wrong key" in str(raised.value)
    assert "s3cr3t" not in str(raised.value)
    assert "s3cr3t" not in str(error)
