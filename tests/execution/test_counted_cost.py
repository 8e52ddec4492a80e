"""What an answer costs: what it says itself, else by the model's price."""

from __future__ import annotations

import asyncio

import pytest

from lve.execution.budgets.budget import Budget, BudgetCaps
from lve.execution.completer import Completer
from lve.execution.request_limits import ModelLimits
from lve.execution.retry import RetryPolicy
from lve.execution.stop import StopSignal
from lve.messages import Completion, Message, Usage
from lve.models.chat_model import ChatRequest
from lve.settings.model_settings import Price


class Says:
    """A model with one answer."""

    name = "test/model"
    identity = None

    def __init__(self, answer: Completion) -> None:
        self.answer = answer

    async def complete(self, request: ChatRequest) -> Completion:
        return self.answer

    async def aclose(self) -> None:
        pass


@pytest.mark.parametrize(
    ("stated", "usage", "price", "tokens", "cost"),
    [
        (None, None, None, (0, 0), 0.0),
        (None, Usage(10, 4), None, (10, 4), 0.0),
        (None, Usage(10, 4), Price(100_000, 250_000), (10, 4), 2.0),
        (None, None, Price(100_000, 250_000), (0, 0), 0.0),
        (0.25, None, None, (0, 0), 0.25),
        (0.25, Usage(10, 4), None, (10, 4), 0.25),
        (0.25, Usage(10, 4), Price(100_000, 250_000), (10, 4), 0.25),
        (0.0, Usage(10, 4), Price(100_000, 250_000), (10, 4), 0.0),
    ],
)
def test_what_is_counted(
    stated: float | None,
    usage: Usage | None,
    price: Price | None,
    tokens: tuple[int, int],
    cost: float,
) -> None:
    stop = StopSignal()
    completer = Completer(
        Says(Completion("x", usage=usage, cost=stated)),
        stop_signal=stop,
        limits=ModelLimits(stop_signal=stop, clock=lambda: 0.0, max_connections=1),
        budget=Budget(BudgetCaps(), stop),
        policy=RetryPolicy(max_attempts=1),
        rng=lambda: 0.5,
        clock=lambda: 0.0,
        price=price,
    )
    asked = ChatRequest((Message("hello"),), {"max_tokens": 9})
    assert asyncio.run(completer.complete(asked)).text == "x"
    traffic = completer.traffic
    assert (traffic.prompt_tokens, traffic.completion_tokens) == tokens
    assert traffic.cost == pytest.approx(cost)
