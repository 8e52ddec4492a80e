"""Where a session's completions are kept."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lve.execution.cache.cache import CACHE_FILE, CompletionCache
from lve.execution.cache.opening import open_cache
from lve.execution.stop import StopSignal


def test_without_a_store_they_are_in_the_file(tmp_path: Path) -> None:
    cache = open_cache(tmp_path, store=None, stop_signal=StopSignal(), warn=pytest.fail)
    assert isinstance(cache, CompletionCache)
    cache.close()
    assert (tmp_path / CACHE_FILE).exists()


def test_a_team_s_store_leaves_no_file(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    from lve.execution.cache.shared import SharedCache

    url = "postgresql://127.0.0.1:1/x"
    cache = open_cache(tmp_path, store=url, stop_signal=StopSignal(), warn=pytest.fail)
    assert isinstance(cache, SharedCache)
    asyncio.run(cache.aclose())
    assert list(tmp_path.iterdir()) == []
