"""The cache of completions: what it keeps, through what it survives."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from support.caches import FULL, key_of, open_cache

from lve.execution.cache.cache import CompletionCache
from lve.execution.cache.sqlite import CacheStore
from lve.extensions.caching.contents import prune, stats_of
from lve.messages import Completion


def test_a_completion_comes_back_as_it_was_and_marked_cached(tmp_path: Path) -> None:
    async def scenario() -> Completion | None:
        cache = open_cache(tmp_path / "new" / "cache.db")
        assert cache.get(key_of(1)) is None
        await cache.put(key_of(1), FULL)
        found = cache.get(key_of(1))
        cache.close()
        return found

    found = asyncio.run(scenario())
    assert found is not None
    assert found.cached
    assert {name: getattr(found, name) for name in found.__slots__ if name != "cached"} == {
        name: getattr(FULL, name) for name in FULL.__slots__ if name != "cached"
    }


@pytest.mark.parametrize("field", ["logprobs", "provider_state"])
def test_what_json_has_no_number_for_is_kept_as_a_text(tmp_path: Path, field: str) -> None:
    async def scenario() -> Any:
        cache = open_cache(tmp_path / "cache.db")
        odd: Any = {field: [float("nan")]}
        await cache.put(key_of(1), Completion("x", **odd))
        found = cache.get(key_of(1))
        cache.close()
        return getattr(found, field)

    assert asyncio.run(scenario()) == ["nan"]


def test_a_put_is_seen_by_other_connections_when_it_returns(tmp_path: Path) -> None:
    async def scenario() -> None:
        cache = open_cache(tmp_path / "cache.db")
        for number in range(20):
            await cache.put(key_of(number), FULL)
            with sqlite3.connect(tmp_path / "cache.db") as other:
                count = other.execute("SELECT count(*) FROM completions").fetchone()[0]
            other.close()
            assert count == number + 1
        cache.close()

    asyncio.run(scenario())


def test_completions_that_arrive_together_are_committed_together(tmp_path: Path) -> None:
    class CountingStore(CacheStore):
        commits = 0

        def write(self, rows: Any) -> bool:
            self.commits += 1
            return super().write(rows)

    async def scenario() -> CountingStore:
        store = CountingStore(tmp_path / "cache.db")
        cache = CompletionCache(store, warn=pytest.fail)
        await asyncio.gather(*(cache.put(key_of(n), FULL) for n in range(1000)))
        assert stats_of(store.path).entries == 1000
        cache.close()
        return store

    assert asyncio.run(scenario()).commits <= 4


def test_a_later_put_replaces_an_earlier_one(tmp_path: Path) -> None:
    async def scenario() -> None:
        cache = open_cache(tmp_path / "cache.db")
        await cache.put(key_of(1), FULL)
        await cache.put(key_of(1), Completion("second"))
        found = cache.get(key_of(1))
        assert found is not None
        assert found.text == "second"
        cache.close()

    asyncio.run(scenario())


def test_a_cancelled_put_is_stored_and_disturbs_no_other(tmp_path: Path) -> None:
    async def scenario() -> None:
        cache = open_cache(tmp_path / "cache.db")
        first = asyncio.create_task(cache.put(key_of(1), FULL))
        second = asyncio.create_task(cache.put(key_of(2), FULL))
        await asyncio.sleep(0)
        first.cancel()
        await second
        assert first.cancelled() or first.done()
        assert cache.get(key_of(1)) is not None
        cache.close()

    asyncio.run(scenario())


def test_close_commits_what_is_pending(tmp_path: Path) -> None:
    async def scenario() -> None:
        cache = open_cache(tmp_path / "cache.db")
        task = asyncio.create_task(cache.put(key_of(1), FULL))
        await asyncio.sleep(0)
        cache.close()
        await task

    asyncio.run(scenario())
    store = CacheStore(tmp_path / "cache.db")
    assert stats_of(store.path).entries == 1
    store.close()


def test_hits_are_counted_over_sessions(tmp_path: Path) -> None:
    async def scenario() -> None:
        cache = open_cache(tmp_path / "cache.db")
        await cache.put(key_of(1), FULL)
        for _ in range(3):
            cache.get(key_of(1))
        cache.close()

    asyncio.run(scenario())
    asyncio.run(scenario())
    store = CacheStore(tmp_path / "cache.db")
    assert stats_of(store.path).hits == 6
    store.close()


def test_prune_by_model_age_and_size(tmp_path: Path) -> None:
    async def scenario() -> None:
        cache = open_cache(tmp_path / "cache.db")
        for number in range(10):
            model = "a" if number % 2 else "b"
            await cache.put(key_of(number), Completion("x" * 100), model=model)
        cache.close()

    asyncio.run(scenario())
    store = CacheStore(tmp_path / "cache.db")
    size = stats_of(store.path).models[0].size_bytes // 5
    assert [(m.model, m.entries) for m in stats_of(store.path).models] == [("a", 5), ("b", 5)]
    assert prune(store.path, model="a") == 5
    assert prune(store.path, older_than_s=3600) == 0
    assert prune(store.path, max_bytes=2 * size) == 3
    assert store.reader.value(key_of(8)) is not None, "the newest stay"
    store.reader.end()
    assert prune(store.path) == 2
    assert (tmp_path / "cache.db-wal").stat().st_size == 0, "the space is given back at once"
    assert stats_of(store.path).entries == 0
    store.close()


def test_a_lookup_sees_what_was_stored_a_moment_before(tmp_path: Path) -> None:
    store = CacheStore(tmp_path / "cache.db")
    key = key_of(1)
    assert store.reader.value(key) is None
    assert store.reader.is_reading
    assert store.write([(bytes.fromhex(key), "m", 0.0, "text")])
    assert store.reader.value(key) == "text"
    store.close()


def test_closing_right_after_a_lookup_leaves_nothing_to_do(tmp_path: Path) -> None:
    async def scenario() -> None:
        cache = open_cache(tmp_path / "cache.db")
        problems: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, told: problems.append(told))
        cache.get(key_of(1))
        cache.close()
        await asyncio.sleep(0)
        assert problems == []

    asyncio.run(scenario())


def test_a_model_name_that_is_no_utf_8_is_stored_all_the_same(tmp_path: Path) -> None:
    async def scenario() -> None:
        cache = open_cache(tmp_path / "cache.db")
        await cache.put(key_of(1), FULL, model="my/\udcff")
        assert cache.get(key_of(1)) is not None
        cache.close()

    asyncio.run(scenario())


def test_whatever_goes_wrong_those_who_wait_hear_of_it(tmp_path: Path) -> None:
    class Broken(CacheStore):
        def write(self, rows: Any) -> bool:
            raise OverflowError("nobody thought of it")

    async def scenario() -> None:
        cache = CompletionCache(Broken(tmp_path / "cache.db"), warn=pytest.fail)
        for number in (1, 2):
            with pytest.raises(OverflowError, match="nobody thought of it"):
                await asyncio.wait_for(cache.put(key_of(number), FULL), 5)
        cache.close()

    asyncio.run(scenario())
