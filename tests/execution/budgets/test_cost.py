"""What answers cost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lve.execution.budgets.cost import cost_of, paid, stated_cost, totals
from lve.messages import Completion, Message, Transcript, Usage
from lve.settings.model_settings import LongPrompts, Price

PRICE = Price(input=1.0, output=2.0)
ANSWER = Completion("x", usage=Usage(1_000_000, 500_000))


def transcript(*completions: Completion) -> Transcript:
    return Transcript((Message("x"),), completions, filled=(0,))


@pytest.mark.parametrize(
    ("usage", "price", "cost"),
    [
        (Usage(1_000_000, 0), PRICE, 1.0),
        (Usage(0, 1_000_000), PRICE, 2.0),
        (Usage(1_000_000, 0, 500_000), Price(1.0, 2.0, 0.5), 0.75),
        (Usage(2_000_000, 0), Price(1.0, 2.0, None, LongPrompts(1_000_000, 3.0, 4.0)), 6.0),
        (Usage(), Price(request=0.02), 0.02),
        (Usage(1_000_000, 0), Price(1.0, request=0.5), 1.5),
        (Usage(5, 5), None, None),
    ],
)
def test_tokens_and_requests_have_a_price(usage: Usage, price: Price | None, cost: float) -> None:
    assert cost_of(usage, price) == (None if cost is None else pytest.approx(cost))


def test_cached_answers_cost_nothing() -> None:
    cached = replace(ANSWER, cached=True, cost=3.0)
    assert paid([transcript(ANSWER, cached)], PRICE) == 2.0


def test_what_an_answer_states_counts_before_a_price() -> None:
    stated = replace(ANSWER, cost=0.25)
    assert paid([transcript(stated, ANSWER)], PRICE) == 2.25
    assert paid([transcript(stated)], None) == 0.25
    assert paid([transcript(ANSWER)], None) is None
    usage, price = stated_cost(stated)
    assert (usage, cost_of(usage, price)) == (ANSWER.usage, 0.25)
    assert cost_of(*stated_cost(Completion("x", cost=0.5))) == 0.5


def test_a_request_has_a_price_without_tokens() -> None:
    assert paid([transcript(Completion("x"))], Price(request=0.1)) == 0.1
    assert paid([transcript(Completion("x"))], PRICE) == 0.0


def test_totals_are_those_of_all_answers() -> None:
    cached = replace(ANSWER, cached=True, latency_s=1.0)
    assert totals([transcript(cached)]) == (ANSWER.usage, 1.0, True)
    usage, latency_s, is_cached = totals([transcript(cached, Completion("y", latency_s=2.0))])
    assert (usage, latency_s, is_cached) == (ANSWER.usage, 3.0, False)
