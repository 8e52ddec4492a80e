"""Reservations: no cap is ever overshot."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from typing import Any

import pytest

from lve.errors import BudgetError, SessionError
from lve.execution.budgets.bounds import answer_bound, prompt_bound
from lve.execution.budgets.budget import (
    ANSWER_BOUND,
    Budget,
    BudgetCaps,
    cost_of,
)
from lve.execution.stop import Stopped, StopSignal
from lve.messages import Message, Tool, ToolCall, Usage
from lve.models.chat_model import ChatRequest
from lve.settings.model_settings import Price

PROMPT = (Message("hello"),)


def ask(args: Mapping[str, Any] | None = None) -> ChatRequest:
    return ChatRequest(PROMPT, args or {})


PRICE = Price(input=1.0, output=2.0)


def test_nothing_is_capped_without_caps() -> None:
    assert not Budget(BudgetCaps(), StopSignal()).is_capped


@pytest.mark.parametrize("text", ["hello", "héllo wörld", "日本語", "\ud800"])
def test_a_prompt_never_has_more_tokens_than_its_bound(text: str) -> None:
    assert prompt_bound(ChatRequest((Message(text),))) >= len(text.encode("utf-8", "surrogatepass"))


def test_images_and_tools_count() -> None:
    plain = prompt_bound(ask())
    assert (
        prompt_bound(ChatRequest((Message("hello", image_url="http://x/y.png"),))) > plain + 10_000
    )
    assert prompt_bound(ask({"tools": ["x" * 1000]})) > plain + 1000
    tools = (Tool("f", "x" * 1000),)
    assert prompt_bound(ChatRequest((Message("hello"),), tools=tools)) > plain + 1000
    call = ToolCall("1", "f", "x" * 1000)
    assert prompt_bound(ChatRequest((Message("hello", tool_calls=(call,)),))) > plain + 1000
    state = {"api": "x", "thought": "x" * 1000}
    assert prompt_bound(ChatRequest((Message("hello", provider_state=state),))) > plain + 1000
    parts = ({"type": "text", "text": "hello"}, {"type": "image_url", "image_url": {"url": "u"}})
    assert prompt_bound(ChatRequest((Message(parts),))) > plain + 10_000
    assert prompt_bound(ChatRequest(prompt="x" * 1000)) > 1000


def test_documents_and_sounds_count_by_their_size() -> None:
    document = {"type": "file", "file": {"filename": "a", "file_data": "x" * 1_000_000}}
    sound = {"type": "input_audio", "input_audio": {"format": "mp3", "data": "x" * 1_000_000}}
    assert prompt_bound(ChatRequest((Message((document,)),))) > 1_000_000
    assert prompt_bound(ChatRequest((Message((sound,)),))) > 100_000


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, None),
        ({"max_tokens": 5}, 5),
        ({"max_completion_tokens": 7}, 7),
        ({"max_tokens": 9, "max_completion_tokens": 7}, 7),
        ({"max_tokens": "many"}, None),
    ],
)
def test_answer_bound(args: Mapping[str, Any], expected: int | None) -> None:
    assert answer_bound(args) == expected


def test_requests_are_counted_exactly() -> None:
    async def spend() -> int:
        budget = Budget(BudgetCaps(requests=3), StopSignal())
        for _ in range(3):
            reservation = await budget.reserve(ask(), None)
            budget.settle(reservation, None, None, free=True)
        with pytest.raises(BudgetError, match="3 of 3 requests"):
            await budget.reserve(ask(), None)
        return budget.spent.requests

    assert asyncio.run(spend()) == 3


def test_a_request_without_bound_gets_one() -> None:
    async def reserve() -> int | None:
        budget = Budget(BudgetCaps(tokens=1_000_000), StopSignal())
        return (await budget.reserve(ask(), None)).imposed

    assert asyncio.run(reserve()) == ANSWER_BOUND


def test_what_is_left_is_the_bound_when_it_is_less() -> None:
    async def reserve() -> tuple[int | None, int]:
        budget = Budget(BudgetCaps(tokens=500), StopSignal())
        reservation = await budget.reserve(ask(), None)
        return reservation.imposed, reservation.amount.tokens

    imposed, tokens = asyncio.run(reserve())
    assert imposed is not None
    assert 0 < imposed < 500
    assert tokens == 500


def test_a_bound_of_the_users_own_is_never_lowered() -> None:
    async def reserve() -> None:
        await Budget(BudgetCaps(tokens=500), StopSignal()).reserve(ask({"max_tokens": 600}), None)

    with pytest.raises(BudgetError, match="0 of 500 tokens"):
        asyncio.run(reserve())


def test_an_answer_of_unknown_length_costs_the_worst_case() -> None:
    async def spend() -> float:
        budget = Budget(BudgetCaps(cost=1.0), StopSignal())
        reservation = await budget.reserve(ask({"max_tokens": 100}), PRICE)
        budget.settle(reservation, None, PRICE, free=False)
        return budget.spent.cost

    worst = Usage(prompt_bound(ask({"max_tokens": 100})), 100)
    assert asyncio.run(spend()) == cost_of(worst, PRICE)


def test_several_choices_cost_several_times() -> None:
    async def tokens(args: Mapping[str, Any]) -> int:
        budget = Budget(BudgetCaps(tokens=100_000), StopSignal())
        return (await budget.reserve(ask(args), None)).amount.tokens

    one, three = (asyncio.run(tokens({"max_tokens": 100, "n": n})) for n in (1, 3))
    assert three - one == 200


def test_waits_for_what_others_give_back() -> None:
    async def race() -> list[str]:
        budget = Budget(BudgetCaps(tokens=300), StopSignal())
        args = {"max_tokens": 100}
        first = await budget.reserve(ask(args), None)
        second = asyncio.ensure_future(budget.reserve(ask(args), None))
        await asyncio.sleep(0)
        order = ["waiting" if not second.done() else "too early"]
        budget.settle(first, Usage(1, 1), None, free=False)
        await second
        return [*order, "served"]

    assert asyncio.run(race()) == ["waiting", "served"]


def test_the_brake_ends_the_wait() -> None:
    async def stop() -> None:
        stop_signal = StopSignal()
        budget = Budget(BudgetCaps(requests=1), stop_signal)
        await budget.reserve(ask(), None)
        waiting = asyncio.ensure_future(budget.reserve(ask(), None))
        await asyncio.sleep(0)
        stop_signal.set("interrupted")
        await waiting

    with pytest.raises(Stopped):
        asyncio.run(stop())


@pytest.mark.parametrize("seed", range(20))
def test_no_cap_is_overshot_under_concurrency_and_failures(seed: int) -> None:
    """200 spenders with answers of any length up to the bound, and failures of both kinds."""
    rng = random.Random(seed)
    caps = BudgetCaps(cost=rng.uniform(0.001, 0.02), tokens=rng.randint(200, 9000), requests=40)
    billed = Usage()
    sent = 0

    async def spender(budget: Budget) -> None:
        nonlocal billed, sent
        while True:
            args = rng.choice([{}, {"max_tokens": rng.randint(1, 300)}])
            reservation = await budget.reserve(ask(args), PRICE)
            sent += 1
            bound = reservation.imposed or args["max_tokens"]
            await asyncio.sleep(0)
            fate = rng.random()
            if fate < 0.2:
                budget.settle(reservation, None, PRICE, free=True)
                continue
            usage = Usage(rng.randint(1, 20), rng.randint(0, min(bound, 400)))
            billed = billed + usage
            reported = None if fate < 0.4 else usage
            budget.settle(reservation, reported, PRICE, free=False)

    async def spend() -> None:
        budget = Budget(caps, StopSignal())
        outcomes = await asyncio.gather(
            *(spender(budget) for _ in range(200)), return_exceptions=True
        )
        assert all(isinstance(outcome, BudgetError) for outcome in outcomes)

    asyncio.run(spend())
    assert sent <= 40
    assert caps.tokens is not None
    assert billed.total_tokens <= caps.tokens
    assert caps.cost is not None
    assert (cost_of(billed, PRICE) or 0) <= caps.cost


def test_a_disk_that_is_full_when_an_answer_arrives_does_not_lose_it() -> None:
    async def scenario() -> None:
        budget = Budget(BudgetCaps(requests=2), StopSignal())
        reservation = await budget.reserve(ask(), PRICE)

        def full() -> None:
            raise SessionError("the disk is full")

        budget.on_change = full
        budget.settle(reservation, Usage(3, 4), PRICE, free=False)
        assert budget.committed.requests == 1
        with pytest.raises(SessionError):
            await budget.reserve(ask(), PRICE)

    asyncio.run(scenario())
