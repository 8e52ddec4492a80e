"""Where a session's completions are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from lve.execution.cache.cache import CACHE_FILE, CompletionCache
from lve.execution.cache.opening import STORE_VARIABLE, open_cache


def test_without_a_store_they_are_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(STORE_VARIABLE, raising=False)
    cache = open_cache(tmp_path, warn=pytest.fail)
    assert isinstance(cache, CompletionCache)
    cache.close()
    assert (tmp_path / CACHE_FILE).exists()


def test_the_environment_names_a_team_s_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg")
    from lve.execution.cache.shared import SharedCache

    monkeypatch.setenv(STORE_VARIABLE, "postgresql://127.0.0.1:1/x")
    cache = open_cache(tmp_path, warn=pytest.fail)
    assert isinstance(cache, SharedCache)
    cache.close()
    assert list(tmp_path.iterdir()) == []
