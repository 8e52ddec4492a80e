"""What the requests of an engine may use: budgets, rates, connections, and the cache of answers.

Usually they are this process's part of what settings and options allow. An engine on a cluster asks
the run that it works for (`lve.pipeline.cluster.worker_resources`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lve.execution.budgets.budget import Budget
from lve.execution.limits import ModelLimits
from lve.execution.stop import StopSignal
from lve.pipeline.resources.session_cache import SessionCache
from lve.pipeline.resources.share import Share
from lve.run_options import RunOptions
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

if TYPE_CHECKING:
    from lve.execution.cache.contract import CompletionStore


class AnswerCache(Protocol):
    """The cache of a session; see `SessionCache`."""

    def opened(self, folder: Callable[[], Path]) -> CompletionStore | None:
        """Return the cache; None if there is none."""
        ...

    def cancel(self) -> None:
        """Let closing take no longer than a moment."""
        ...

    async def close(self) -> None:
        """Write what is left."""
        ...


class Resources:
    """This process's part."""

    def __init__(self, options: RunOptions, share: Share | None = None) -> None:
        """Args:
        options: of the session.
        share: what other processes leave; None for all of it.
        """
        self._options = options
        self._share = Share.of(options, share)

    def budget(self, stop_signal: StopSignal) -> Budget:
        """Return the budget of the session."""
        share = self._share
        return Budget(share.budget(self._options), stop_signal, whose=share.whose_budget)

    def role_budget(self, role: str, model: str, most: RunOptions, session: Budget) -> Budget:
        """Return the budget of a role.

        Args:
            role: its name.
            model: that has it.
            most: its caps.
            session: the budget of the session, which holds for it, too.
        """
        from lve.execution.role_budget import RoleBudget  # late: few roles have one

        return RoleBudget(role, self._share.budget(most), session)

    def connections(self, name: str, entry: ModelSettings) -> int:
        """Return how many requests to a model may be under way: at least one."""
        return self._share.connections(entry, self._options)

    def limits(
        self, name: str, entry: ModelSettings, stop_signal: StopSignal, width: int
    ) -> ModelLimits:
        """Return what paces the requests to a model, `width` at once."""
        return self._share.limits(entry, stop_signal, width)

    def cache(
        self, settings: Settings, stop_signal: StopSignal, *, warn: Callable[[str], None]
    ) -> AnswerCache:
        """Return the cache of answers.

        Args:
            settings: which may name a store.
            stop_signal: stops the session.
            warn: called with what the user should know.

        Raises:
            UsageError: the store's URL is none, or what it needs isn't installed.
        """
        return SessionCache(self._options, settings, stop_signal, warn=warn)
