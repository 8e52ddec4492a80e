"""Chooses where a session's completions are kept: in a file, or in a team's store."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lve.execution.cache.cache import CompletionCache
    from lve.execution.cache.shared import SharedCache

    Cache = CompletionCache | SharedCache

STORE_VARIABLE = "LVE_STORE"
"""Holds the URL of a team's store. Only the environment names it, so no test folder can."""


def open_cache(folder: Path, *, warn: Callable[[str], None]) -> Cache | None:
    """Open the team's store if the environment names one, else the file in `folder`.

    Args:
        folder: of sessions.
        warn: called with what the user should know.

    Returns:
        None, after a warning, if the file can't be written.

    Raises:
        UsageError: the URL is none, or what it needs isn't installed.
    """
    # Each imports a database that a session without it doesn't need.
    url = os.environ.get(STORE_VARIABLE)
    if url:
        from lve.execution.cache.postgres import PostgresStore
        from lve.execution.cache.shared import SharedCache

        return SharedCache(PostgresStore(url), warn=warn)
    from lve.execution.cache.cache import CACHE_FILE, CompletionCache

    return CompletionCache.open(folder / CACHE_FILE, warn=warn)
