"""The tokens, time and money that answers took."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lve.messages import Transcript, Usage
from lve.settings.model_settings import Price

MILLION = 1_000_000


def cost_of(usage: Usage, price: Price | None) -> float | None:
    """Return the cost of tokens in US dollars; None without a price."""
    if price is None:
        return None
    rate = price.for_prompt(usage.prompt_tokens)
    cost = usage.prompt_tokens * rate.input + usage.completion_tokens * rate.output
    if usage.cached_tokens and rate.cached_input is not None:
        cost -= usage.cached_tokens * (rate.input - rate.cached_input)
    return cost / MILLION


def paid(transcripts: Iterable[Transcript], price: Price | None) -> float | None:
    """Return the cost, in US dollars, of all completions that aren't from the cache; None without a
    price."""
    if price is None:
        return None
    fresh = (c for transcript in transcripts for c in transcript.completions if not c.cached)
    return sum(cost_of(c.usage, price) or 0.0 for c in fresh if c.usage)


def totals(transcripts: Sequence[Transcript]) -> tuple[Usage, float, bool]:
    """Return the usage, the latency in seconds, and whether all completions came from the cache."""
    if len(transcripts) == 1 and len(transcripts[0].completions) == 1:
        only = transcripts[0].completions[0]
        return only.usage or Usage(), only.latency_s, only.cached
    completions = [c for transcript in transcripts for c in transcript.completions]
    usage = sum((c.usage for c in completions if c.usage), start=Usage())
    cached = bool(completions) and all(c.cached for c in completions)
    return usage, sum(c.latency_s for c in completions), cached
