"""A budget of its own for a role, within the session's."""

from __future__ import annotations

import asyncio

import pytest

from lve.errors import BudgetError
from lve.execution.budgets.budget import Budget, BudgetCaps
from lve.execution.role_budget import RoleBudget
from lve.execution.stop import StopSignal
from lve.messages import Message, Usage
from lve.models.chat_model import ChatRequest
from lve.settings.model_settings import Price

REQUEST = ChatRequest((Message("Hello"),), args={"max_tokens": 100})
OPEN = ChatRequest((Message("Hello"),))


def budgets(own: BudgetCaps, session: BudgetCaps) -> tuple[RoleBudget, Budget]:
    outer = Budget(session, StopSignal())
    return RoleBudget("judge", own, outer), outer


def test_what_is_spent_counts_in_both() -> None:
    async def work() -> None:
        own, outer = budgets(BudgetCaps(requests=5), BudgetCaps(cost=1.0))
        price = Price(1000.0, 1000.0)
        reservation = await own.reserve(REQUEST, price)
        assert own.committed.requests == outer.committed.requests == 1
        own.settle(reservation, Usage(10, 20), price, free=False)
        for one in (own, outer):
            assert one.committed.cost == pytest.approx(0.03)
            assert (one.spent.requests, one.spent.tokens) == (1, 30)
        own.release(await own.reserve(REQUEST, price))
        assert own.committed.requests == outer.committed.requests == 1

    asyncio.run(work())


@pytest.mark.parametrize(
    ("own", "session", "whose"),
    [
        (BudgetCaps(requests=1), BudgetCaps(), "the budget of the role `judge`"),
        (BudgetCaps(requests=1), BudgetCaps(requests=9), "the budget of the role `judge`"),
        (BudgetCaps(requests=9), BudgetCaps(requests=1), "the session's budget"),
    ],
)
def test_the_smaller_one_refuses_and_nothing_stays_reserved(
    own: BudgetCaps, session: BudgetCaps, whose: str
) -> None:
    async def work() -> None:
        role, outer = budgets(own, session)
        role.settle(await role.reserve(REQUEST, None), Usage(1, 1), None, free=False)
        with pytest.raises(BudgetError, match=f"{whose} allows no further call") as refusal:
            await role.reserve(REQUEST, None)
        assert (refusal.value.role == "judge") is ("judge" in whose)
        assert role.committed == role.spent
        assert outer.committed == outer.spent

    asyncio.run(work())


def test_the_smaller_bound_of_an_answer_counts() -> None:
    async def work() -> None:
        own, _ = budgets(BudgetCaps(tokens=10_000), BudgetCaps(tokens=1_000))
        reservation = await own.reserve(OPEN, None)
        assert reservation.imposed is not None
        assert reservation.imposed < 1_000
        assert reservation.outer is not None

    asyncio.run(work())
