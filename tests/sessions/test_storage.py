"""Where sessions and completions are kept."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lve.execution.cache.cache import CACHE_FILE, CompletionCache
from lve.execution.stop import StopSignal
from lve.sessions.storage import STORE_VARIABLE, Storage, storage_here, storage_of

URL = "postgresql://127.0.0.1:1/x"


def test_without_a_store_all_is_on_this_machine(tmp_path: Path) -> None:
    storage = storage_of(None)
    assert not storage.is_shared
    storage.check()

    async def opened() -> None:
        cache = storage.open_cache(tmp_path, stop_signal=StopSignal(), warn=pytest.fail)
        assert isinstance(cache, CompletionCache)
        cache.close()

    asyncio.run(opened())
    assert (tmp_path / CACHE_FILE).exists()
    assert storage.begin_upload(tmp_path, warn=pytest.fail) is None
    assert storage.upload(tmp_path, warn=pytest.fail)
    assert storage.download(tmp_path, "20261127-120000-000-abcd") is None
    assert storage.remote_sessions(10, tmp_path) == ()
    assert storage.stats() is None
    storage.refuse_to_delete("clear")


def test_a_team_s_store_leaves_no_file(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    from lve.extensions.store.shared import SharedCache

    storage = storage_of(URL)
    assert storage.is_shared
    storage.check()
    cache = storage.open_cache(tmp_path, stop_signal=StopSignal(), warn=pytest.fail)
    assert isinstance(cache, SharedCache)
    asyncio.run(cache.aclose())
    assert list(tmp_path.iterdir()) == []


def test_the_settings_here_or_the_environment_name_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert type(storage_here()) is Storage
    (tmp_path / "lve.yaml").write_text("cache: postgresql://db.example/team\n")
    assert storage_here().is_shared
    (tmp_path / "lve.yaml").unlink()
    monkeypatch.setenv(STORE_VARIABLE, URL)
    assert storage_here().is_shared
