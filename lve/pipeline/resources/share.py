"""The share of budget, rate limits and connections for one of several processes of a session
(pytest-xdist), or for one shard of a run.

A budget is split among processes and shards. Rates and connections are split among the processes of
a session only, because shards may run one after the other.
"""

from __future__ import annotations

import time

from lve.execution.budgets.budget import BudgetCaps
from lve.execution.request_limits import ModelLimits
from lve.execution.stop import StopSignal
from lve.named_tuples import NamedTuple
from lve.options.model_options import DEFAULT_MAX_CONNECTIONS
from lve.options.run_options import RunOptions
from lve.options.shard_number import Shard, parse_shard
from lve.settings.model_settings import ModelSettings


class Share(NamedTuple):
    """One of several equal shares of what settings and options allow.

    Together, the processes keep to rates and costs. Each gets at least one connection, request and
    token, or it could do nothing; so if there are more processes than that, they exceed the limit
    together. The shards of a run never do.
    """

    processes: int = 1
    """How many processes run the session."""
    shard: Shard | None = None
    """Which shard of a run the session is; None: all of it."""

    @classmethod
    def of(cls, options: RunOptions, share: Share | None = None) -> Share:
        """Return a share with the shard that the options name.

        Args:
            options: the session's options.
            share: the share of one of the session's processes; None: all of the session.
        """
        share = share or cls()
        if options.shard is None:
            return share
        return share._replace(shard=parse_shard(options.shard))

    def connections(self, entry: ModelSettings, options: RunOptions) -> int:
        """Return how many requests to a model may be in flight: at least 1."""
        connections = options.max_connections
        if connections is None:
            whole = entry.max_connections or DEFAULT_MAX_CONNECTIONS
        else:
            whole = min(connections, entry.max_connections or connections)
        return self._count(whole)

    def rate(self, per_minute: float | None) -> float | None:
        """Return this share of a rate limit; None: no limit."""
        return None if per_minute is None else per_minute / self.processes

    def limits(self, entry: ModelSettings, stop_signal: StopSignal, width: int) -> ModelLimits:
        """Return the limits of a model, with `width` requests in flight at most."""
        return ModelLimits(
            stop_signal=stop_signal,
            clock=time.monotonic,
            max_connections=width,
            requests_per_minute=self.rate(entry.requests_per_minute),
            tokens_per_minute=self.rate(entry.tokens_per_minute),
        )

    def budget(self, options: RunOptions) -> BudgetCaps:
        """Return this share of the run's budget."""
        cost, tokens, requests = options.max_cost, options.max_tokens_total, options.max_requests
        parts = self.processes * (self.shard.total if self.shard else 1)
        return BudgetCaps(
            None if cost is None else cost / parts,
            None if tokens is None else self._count(self._of_shard(tokens)),
            None if requests is None else self._count(self._of_shard(requests)),
        )

    @property
    def whose_budget(self) -> str:
        """The name of this budget in messages."""
        part = f"the part of shard {self.shard} of the budget"
        return part if self.shard else "the session's budget"

    def _of_shard(self, whole: int) -> int:
        """Return this shard's part of a number; the parts of all shards add up to it."""
        if self.shard is None:
            return whole
        number, total = self.shard
        return whole * number // total - whole * (number - 1) // total

    def _count(self, whole: int) -> int:
        """Return this process's part of a number: at least 1, unless the number is 0."""
        return min(whole, max(1, whole // self.processes))


class SessionPart(NamedTuple):
    """One of several processes that run a session together (pytest-xdist)."""

    session: str
    """The session's id, the same for all processes."""
    name: str
    """This process's name, such as `gw0`."""
    share: Share
    """This process's share of budget, rates and connections."""
