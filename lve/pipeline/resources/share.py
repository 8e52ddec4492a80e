"""What each may take of those who run something together: the processes of a session (pytest-xdist)
and the shards of a run.

A budget is that of the whole run. Rates and connections are split between the processes of a
session only: shards may run on one machine after the other.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from lve.conventions import DEFAULT_MAX_CONNECTIONS
from lve.execution.budgets.budget import BudgetCaps
from lve.execution.limits import ModelLimits
from lve.execution.stop import StopSignal
from lve.run_options import RunOptions
from lve.settings.model_settings import ModelSettings

if TYPE_CHECKING:
    from lve.options.shard_number import Shard


class Share(NamedTuple):
    """One of equal parts of what settings and options allow.

    Together the processes keep to rates and costs. Of what is counted each has one at least, or it
    could do nothing: where there are more processes than connections, together they have more than
    are allowed, one each; as it is with more processes than requests or tokens of a budget. Shards
    never have more together.
    """

    processes: int = 1
    """How many processes run the session."""
    shard: Shard | None = None
    """Which part of a run the session is; None: all of it."""

    @classmethod
    def of(cls, options: RunOptions, share: Share | None = None) -> Share:
        """Return a share of a session for the shard that it is.

        Args:
            options: of the session.
            share: of one of its processes; None for all of it.
        """
        share = share or cls()
        if options.shard is None:
            return share
        from lve.options.shard_number import parse_shard  # late: few sessions are one

        return share._replace(shard=parse_shard(options.shard))

    def connections(self, entry: ModelSettings, options: RunOptions) -> int:
        """Return how many requests to a model may be under way: at least one."""
        wanted = options.max_connections
        if wanted is None:
            whole = entry.max_connections or DEFAULT_MAX_CONNECTIONS
        else:
            whole = min(wanted, entry.max_connections or wanted)
        return self._count(whole)

    def rate(self, per_minute: float | None) -> float | None:
        """Return a part of a rate; None is no limit."""
        return None if per_minute is None else per_minute / self.processes

    def limits(self, entry: ModelSettings, stop_signal: StopSignal, width: int) -> ModelLimits:
        """Return what paces the requests to a model, `width` at once."""
        return ModelLimits(
            stop_signal=stop_signal,
            clock=time.monotonic,
            max_connections=width,
            requests_per_minute=self.rate(entry.requests_per_minute),
            tokens_per_minute=self.rate(entry.tokens_per_minute),
        )

    def budget(self, options: RunOptions) -> BudgetCaps:
        """Return a part of what the run may spend."""
        cost, tokens, requests = options.max_cost, options.max_tokens_total, options.max_requests
        parts = self.processes * (self.shard.total if self.shard else 1)
        return BudgetCaps(
            None if cost is None else cost / parts,
            None if tokens is None else self._count(self._of_shard(tokens)),
            None if requests is None else self._count(self._of_shard(requests)),
        )

    @property
    def whose_budget(self) -> str:
        """What such a part is, for messages."""
        return (
            f"the part of shard {self.shard} of the budget"
            if self.shard
            else "the session's budget"
        )

    def _of_shard(self, whole: int) -> int:
        """Return a shard's part of a number: those of all shards add up to it."""
        if self.shard is None:
            return whole
        number, total = self.shard
        return whole * number // total - whole * (number - 1) // total

    def _count(self, whole: int) -> int:
        """Return a part of a number: one at least, but nothing of nothing."""
        return min(whole, max(1, whole // self.processes))


class SessionPart(NamedTuple):
    """One of several processes that run a session together (pytest-xdist)."""

    session: str
    """The session's id, the same for all."""
    name: str
    """Of this process: `gw0`."""
    share: Share
    """What this process may take."""
