"""Creates what the requests of an engine use: budgets, limits, connections, and the cache.

Usually this is the process's share of what settings and options allow. The engine of a cluster's
worker leases everything from the run (`lve.extensions.ray.worker_resources`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lve.execution.budgets.budget import Budget
from lve.execution.cache.contract import ClaimingStore, CompletionStore
from lve.execution.request_limits import ModelLimits
from lve.execution.stop import StopSignal
from lve.options.run_options import RunOptions
from lve.pipeline.resources.share import Share
from lve.sessions.storage import storage_of
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

if TYPE_CHECKING:
    from lve.sessions.storage import Cache


class AnswerCache(Protocol):
    """The cache of a session; see `SessionCache`."""

    def opened(self, folder: Callable[[], Path]) -> CompletionStore | None:
        """Return the cache, opened; None if there is none."""
        ...

    def cancel(self) -> None:
        """Let `close` take no longer than a moment."""
        ...

    async def close(self) -> None:
        """Write what isn't written yet, and close the cache."""
        ...


class SessionCache:
    """The cache of a session, in its storage: opened when it is first needed."""

    def __init__(
        self,
        options: RunOptions,
        settings: Settings,
        stop_signal: StopSignal,
        *,
        warn: Callable[[str], None],
    ) -> None:
        """Args:
        options: the run's options, which may turn the cache off.
        settings: the workspace's settings, which may name a team's store.
        stop_signal: the session's stop signal.
        warn: called with each warning.

        Raises:
            UsageError: the store's URL is invalid, or a package that it needs isn't installed.
        """
        self._is_wanted = options.use_cache
        self._storage = storage_of(settings.cache)
        if self._is_wanted:
            self._storage.check()
        self._stop_signal = stop_signal
        self._warn = warn
        self._is_open = False
        self._cache: Cache | None = None

    def opened(self, folder: Callable[[], Path]) -> Cache | None:
        """Return the cache, opened; None if there is none.

        Args:
            folder: returns the folder for the cache's file.
        """
        if self._is_wanted and not self._is_open:
            self._is_open = True
            self._cache = self._storage.open_cache(
                folder(), stop_signal=self._stop_signal, warn=self._warn
            )
        return self._cache

    def cancel(self) -> None:
        """Let `close` take no longer than a moment."""
        if isinstance(self._cache, ClaimingStore):
            self._cache.cancel()

    async def close(self) -> None:
        """Write what isn't written yet, and close the cache."""
        if isinstance(self._cache, ClaimingStore):
            await self._cache.aclose()
        elif self._cache is not None:
            self._cache.close()


class Resources:
    """The resources of an engine in this process."""

    def __init__(self, options: RunOptions, share: Share | None = None) -> None:
        """Args:
        options: the session's options.
        share: this process's share of them; None: all.
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
            role: the role's name.
            model: the model that has the role.
            most: the role's caps, as run options.
            session: the session's budget, which limits the role, too.
        """
        from lve.execution.role_budget import RoleBudget  # late: few roles have one

        return RoleBudget(role, self._share.budget(most), session)

    def connections(self, name: str, entry: ModelSettings) -> int:
        """Return how many requests to a model may be in flight: at least 1."""
        return self._share.connections(entry, self._options)

    def limits(
        self, name: str, entry: ModelSettings, stop_signal: StopSignal, width: int
    ) -> ModelLimits:
        """Return the limits of a model, with `width` requests in flight at most."""
        return self._share.limits(entry, stop_signal, width)

    def cache(
        self, settings: Settings, stop_signal: StopSignal, *, warn: Callable[[str], None]
    ) -> AnswerCache:
        """Return the cache of completions.

        Args:
            settings: the workspace's settings, which may name a team's store.
            stop_signal: the session's stop signal.
            warn: called with each warning.

        Raises:
            UsageError: the store's URL is invalid, or a package that it needs isn't installed.
        """
        return SessionCache(self._options, settings, stop_signal, warn=warn)
