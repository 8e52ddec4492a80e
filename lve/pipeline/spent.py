"""What a session has spent over all its runs, so that a budget holds for the whole session.

`session.json` says it where a run ended in order. After `kill -9` the journal says it, but for
failed attempts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.execution.budget import Amount
from lve.pipeline.engine import Engine
from lve.results.records import InstanceResult


def recorded_spent(info: Mapping[str, Any]) -> Amount:
    """Return what `session.json` says was spent until its last run ended."""
    found = info.get("spent") or {}
    return Amount(found.get("cost", 0.0), found.get("tokens", 0), found.get("requests", 0))


def add_spent(total: Amount, result: InstanceResult) -> None:
    """Add what an instance's answers took; those from the cache took nothing."""
    total.cost += result.cost or 0.0
    for transcript in result.transcripts:
        for completion in transcript.completions:
            if not completion.cached:
                total.requests += 1
                total.tokens += completion.usage.total_tokens if completion.usage else 0


def most(one: Amount, other: Amount) -> Amount:
    """Return the larger of both in each respect."""
    return Amount(
        max(one.cost, other.cost),
        max(one.tokens, other.tokens),
        max(one.requests, other.requests),
    )


def spent_so_far(engine: Engine, before: Amount) -> Amount:
    """Return what a session has spent.

    Args:
        engine: of its present run.
        before: what its earlier runs spent.
    """
    if engine.budget.is_capped:
        return engine.budget.spent
    spent = Amount(before.cost, before.tokens, before.requests)
    for completer in engine.completers.values():
        traffic = completer.traffic
        spent.cost += traffic.cost
        spent.tokens += traffic.prompt_tokens + traffic.completion_tokens
        spent.requests += traffic.requests
    return spent
