"""A session's cache of completions: a file in the folder of sessions, or the team's store."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from lve.environment import STORE_VARIABLE
from lve.execution.cache.contract import ClaimingStore
from lve.execution.stop import StopSignal
from lve.run_options import RunOptions
from lve.settings.settings import Settings

if TYPE_CHECKING:
    from lve.execution.cache.opening import Cache


class SessionCache:
    """Opens the cache when it is first needed, and closes it."""

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
        self._url = checked_store(settings) if options.use_cache else None
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
            # Late: it imports a database, which a session of local models doesn't need.
            from lve.execution.cache.opening import open_cache

            self._is_open = True
            self._cache = open_cache(
                folder(), store=self._url, stop_signal=self._stop_signal, warn=self._warn
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


def checked_store(settings: Settings) -> str | None:
    """Return the URL of the team's store; None if there is none.

    Raises:
        UsageError: the URL is invalid, or a package that it needs isn't installed.
    """
    if not settings.cache and not os.environ.get(STORE_VARIABLE):
        return None
    from lve.store.address import check_url, store_url  # late: few sessions have a store

    url = store_url(settings.cache)
    assert url is not None
    check_url(url)
    return url


def publish_ended(folder: Path, settings: Settings, *, warn: Callable[[str], None]) -> None:
    """Send a session that has ended to the team's store, if there is one.

    Args:
        folder: the session's folder.
        settings: the workspace's settings, which may name a store.
        warn: called with a warning if not everything could be sent.

    Raises:
        UsageError: as `checked_store`.
    """
    if (url := checked_store(settings)) is not None:
        from lve.results.publishing import publish

        publish(folder, url, warn=warn)
