"""The tokens, time and money that answers took."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lve.messages import Completion, Transcript, Usage
from lve.settings.model_settings import Price

MILLION = 1_000_000
NO_TOKENS = Usage()
"""The usage of an answer without any. Never changed."""


def cost_of(usage: Usage, price: Price | None) -> float | None:
    """Return the cost of tokens in US dollars; None without a price."""
    if price is None:
        return None
    rate = price.for_prompt(usage.prompt_tokens)
    cost = price.request * MILLION
    cost += usage.prompt_tokens * rate.input + usage.completion_tokens * rate.output
    if usage.cached_tokens and rate.cached_input is not None:
        cost -= usage.cached_tokens * (rate.input - rate.cached_input)
    return cost / MILLION


def paid(transcripts: Iterable[Transcript], price: Price | None) -> float | None:
    """Return the cost, in US dollars, of all completions that aren't from the cache; None without a
    price, if none of them says its cost."""
    fresh = [c for transcript in transcripts for c in transcript.completions if not c.cached]
    if price is None and all(completion.cost is None for completion in fresh):
        return None
    costs = [cost_of(c.usage or NO_TOKENS, price) if c.cost is None else c.cost for c in fresh]
    return sum(filter(None, costs))


def stated_cost(completion: Completion) -> tuple[Usage, Price]:
    """Return the tokens of a completion that says its cost, and a price by which they cost that."""
    return completion.usage or NO_TOKENS, Price(request=completion.cost or 0.0)


def totals(transcripts: Sequence[Transcript]) -> tuple[Usage, float, bool]:
    """Return the usage, the latency in seconds, and whether all completions came from the cache."""
    if len(transcripts) == 1 and len(transcripts[0].completions) == 1:
        only = transcripts[0].completions[0]
        return only.usage or Usage(), only.latency_s, only.cached
    completions = [c for transcript in transcripts for c in transcript.completions]
    usage = sum((c.usage for c in completions if c.usage), start=Usage())
    cached = bool(completions) and all(c.cached for c in completions)
    return usage, sum(c.latency_s for c in completions), cached
