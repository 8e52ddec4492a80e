"""Opens the cache of a session: the team's store, or else a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lve.execution.cache.cache import CompletionCache
    from lve.execution.cache.shared import SharedCache
    from lve.execution.stop import StopSignal

    Cache = CompletionCache | SharedCache


def open_cache(
    folder: Path, *, store: str | None, stop_signal: StopSignal, warn: Callable[[str], None]
) -> Cache | None:
    """Open the team's store if there is one, else the file in `folder`.

    Args:
        folder: the folder of sessions.
        store: the URL of the team's store; None without a store.
        stop_signal: the session's stop signal.
        warn: called with each warning.

    Returns:
        The cache; None, after a warning, if the file can't be written.

    Raises:
        UsageError: the URL is invalid, or a package that the store needs isn't installed.
    """
    # Imported late: each imports a database that the other doesn't need.
    if store:
        from lve.execution.cache.postgres import PostgresStore
        from lve.execution.cache.shared import SharedCache
        from lve.store.server import StoreServer

        postgres = PostgresStore(StoreServer(store))
        return SharedCache(postgres, warn=warn, stop_signal=stop_signal)
    from lve.execution.cache.cache import CACHE_FILE, CompletionCache

    return CompletionCache.open(folder / CACHE_FILE, warn=warn)
