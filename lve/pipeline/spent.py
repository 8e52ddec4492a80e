"""What a session has spent over all its runs, so that a budget holds for the whole session.

The journal says what its results took. What a run spent beside them (failed attempts, judges,
answers of instances that didn't end) stands in `session.json` when the run has ended. So `kill -9`
takes nothing from the count but what that one run spent beside its results.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from lve.execution.budget import Amount
from lve.pipeline.engine import Engine
from lve.results.records import InstanceResult


class Spending:
    """Counts what a session spends."""

    def __init__(self, info: Mapping[str, Any] | None = None) -> None:
        """Args:
        info: the content of `session.json` of a session that is continued.
        """
        self.before = Amount(**((info or {}).get("spent_unrecorded") or {}))
        """What earlier runs spent; complete when all their results were added."""
        self._began = False
        self._recorded = Amount()
        """What the results in the journal took, of earlier runs and this one."""

    def add_earlier(self, result: InstanceResult, *, stands: bool) -> None:
        """Add a result of an earlier run.

        Args:
            result: from the journal.
            stands: whether it stays there; False if it is to run again.
        """
        _add(self.before, result)
        if stands:
            _add(self._recorded, result)

    def add(self, result: InstanceResult) -> None:
        """Add a result of this run, or an earlier one that stays in the journal after all."""
        _add(self._recorded, result)

    def begin(self, engine: Engine) -> None:
        """Let the budget of a run go on where the earlier ones ended: all of them were added."""
        self._began = True
        engine.budget.spent = Amount(**asdict(self.before))

    def to_json(self, engine: Engine) -> dict[str, dict[str, float]]:
        """Return what `session.json` says of it after a run.

        Args:
            engine: of that run.

        Returns:
            The fields that change: none when the run never began.
        """
        if not self._began:
            return {}
        spent, recorded = self._total(engine), self._recorded
        beside = Amount(
            max(spent.cost - recorded.cost, 0.0),
            max(spent.tokens - recorded.tokens, 0),
            max(spent.requests - recorded.requests, 0),
        )
        return {"spent": asdict(spent), "spent_unrecorded": asdict(beside)}

    def _total(self, engine: Engine) -> Amount:
        if engine.budget.is_capped:
            return engine.budget.spent
        spent = Amount(**asdict(self.before))
        for completer in engine.completers.values():
            traffic = completer.traffic
            spent.cost += traffic.cost
            spent.tokens += traffic.prompt_tokens + traffic.completion_tokens
            spent.requests += traffic.requests
        return spent


def _add(total: Amount, result: InstanceResult) -> None:
    """Add what an instance's answers took; those from the cache took nothing."""
    total.cost += result.cost or 0.0
    for transcript in result.transcripts:
        for completion in transcript.completions:
            if not completion.cached:
                total.requests += 1
                total.tokens += completion.usage.total_tokens if completion.usage else 0
