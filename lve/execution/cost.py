"""What tokens cost."""

from __future__ import annotations

from lve.messages import Usage
from lve.workspace import Price

MILLION = 1_000_000


def cost_of(usage: Usage, price: Price | None) -> float | None:
    """Return the cost in US dollars; None without a price."""
    if price is None:
        return None
    rate = price.for_prompt(usage.prompt_tokens)
    cost = usage.prompt_tokens * rate.input + usage.completion_tokens * rate.output
    if usage.cached_tokens and rate.cached_input is not None:
        cost -= usage.cached_tokens * (rate.input - rate.cached_input)
    return cost / MILLION
