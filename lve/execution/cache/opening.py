"""Chooses where a session's completions are kept: in a file, or in a team's store."""

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
        folder: of sessions.
        store: the store's URL.
        stop_signal: stops the session.
        warn: called with what the user should know.

    Returns:
        None, after a warning, if the file can't be written.

    Raises:
        UsageError: the URL is none, or what it needs isn't installed.
    """
    # Each imports a database that a session without it doesn't need.
    if store:
        from lve.execution.cache.postgres import PostgresStore
        from lve.execution.cache.shared import SharedCache
        from lve.store.server import StoreServer

        asked = PostgresStore(StoreServer(store))
        return SharedCache(asked, warn=warn, stop_signal=stop_signal)
    from lve.execution.cache.cache import CACHE_FILE, CompletionCache

    return CompletionCache.open(folder / CACHE_FILE, warn=warn)
