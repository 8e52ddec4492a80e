"""A cache file that can't be used: corrupt, foreign, newer, locked away."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from support.caches import FULL, fill, found_in, key_of, open_cache

from lve.errors import SessionError
from lve.execution.cache.cache import CompletionCache
from lve.execution.cache.locks import alone
from lve.execution.cache.reading import CacheReader
from lve.execution.cache.sqlite import CacheStore
from lve.execution.cache.sqlite_file import VERSION, checkpoint, damage_of, move_aside
from lve.messages import Completion

PAGE_BYTES = 4096


def text_at(cache: CompletionCache, number: int) -> str | None:
    """Return the text of what a cache holds under `key_of(number)`."""
    found = found_in(cache, number)
    return None if found is None else found.text


@pytest.mark.parametrize(
    "content", [b"not a database at all" * 200, b"SQLite format 3\0" + b"\xff" * 4096]
)
def test_a_corrupt_file_is_moved_aside_with_a_warning(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "cache.db"
    path.write_bytes(content)
    warnings: list[str] = []
    cache = open_cache(path, warnings)
    asyncio.run(cache.put(key_of(1), FULL))
    cache.close()
    [aside] = tmp_path.glob("cache.db.unusable-*")
    assert aside.read_bytes() == content
    assert len(warnings) == 1
    assert "corrupt" in warnings[0]
    assert aside.name in warnings[0]


def test_a_truncated_file_is_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    fill(path, 500)
    size = path.stat().st_size
    for cut in range(0, size, size // 40):
        broken = tmp_path / f"cut{cut}" / "cache.db"
        broken.parent.mkdir()
        broken.write_bytes(path.read_bytes()[:cut])
        cache = open_cache(broken, [])
        assert_right_or_missing(cache, range(0, 500, 10))
        asyncio.run(cache.put(key_of(1000), FULL))
        assert text_at(cache, 1000) == FULL.text
        cache.close()


def test_flipped_bytes_are_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    fill(path, 300)
    good = path.read_bytes()
    source = random.Random(7)
    for case in range(30):
        content = bytearray(good)
        for _ in range(200):
            content[source.randrange(len(content))] = source.randrange(256)
        broken = tmp_path / f"case{case}" / "cache.db"
        broken.parent.mkdir()
        broken.write_bytes(content)
        warnings: list[str] = []
        cache = open_cache(broken, warnings)
        assert_right_or_missing(cache, range(300))
        refusal: SessionError | None = None
        try:
            asyncio.run(cache.put(key_of(1000), FULL))
        except SessionError as error:
            refusal = error
        if refusal is not None:
            assert "can't be written" in str(refusal)
        else:
            # Found to be corrupt, it is used no more, and that is told.
            assert text_at(cache, 1000) == FULL.text or "corrupt" in warnings[-1]
        cache.close()
        cache = open_cache(broken, warnings)
        asyncio.run(cache.put(key_of(1000), FULL))
        assert text_at(cache, 1000) == FULL.text or "corrupt" in warnings[-1]
        cache.close()


def test_a_schema_that_is_no_text_is_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    fill(path, 3)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"counters(name TEXT", b"counters(name \xffEXT"))
    warnings: list[str] = []
    cache = open_cache(path, warnings)
    assert found_in(cache, 1) is None
    cache.close()
    assert "is corrupt" in warnings[0]


def test_a_newer_file_is_moved_aside_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    fill(path, 3)
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version={VERSION + 1}")
    db.close()
    warnings: list[str] = []
    cache = open_cache(path, warnings)
    assert found_in(cache, 1) is None
    cache.close()
    assert "newer lve" in warnings[0]


def test_somebody_elses_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE precious(x)")
    db.close()
    warnings: list[str] = []
    open_cache(path, warnings).close()
    [aside] = tmp_path.glob("cache.db.unusable-*")
    with sqlite3.connect(aside) as db:
        assert db.execute("SELECT count(*) FROM precious").fetchone() == (0,)
    db.close()
    assert "is not a cache of lve" in warnings[0]


def test_a_place_that_cannot_be_written_means_no_cache_and_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    warnings: list[str] = []
    assert CompletionCache.open(tmp_path / "file" / "cache.db", warn=warnings.append) is None
    assert "no cache" in warnings[0]


def test_a_new_file_of_another_process_is_not_moved_aside(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    warnings: list[str] = []

    async def scenario() -> None:
        ours = open_cache(path, warnings)
        await ours.put(key_of(1), FULL)
        ours._give_up(sqlite3.DatabaseError("malformed"))
        move_aside(path)  # by another process, which begins anew
        other = open_cache(path)
        ours.close()
        await other.put(key_of(2), FULL)
        other.close()

    asyncio.run(scenario())
    assert len(list(tmp_path.glob("cache.db.unusable-*.db"))) <= 1
    assert text_at(open_cache(path), 2) == FULL.text
    assert [text for text in warnings if "moved" in text] == []


def test_a_cache_that_cannot_be_read_warns_once(tmp_path: Path) -> None:
    class Locked(CacheReader):
        def value(self, key: str) -> str | None:
            raise sqlite3.OperationalError("disk I/O error")

    async def scenario() -> list[str]:
        warnings: list[str] = []
        store = CacheStore(tmp_path / "cache.db")
        store.reader = Locked(sqlite3.connect(store.path), None)
        cache = CompletionCache(store, warn=warnings.append)
        assert [cache.get(key_of(number)) for number in range(5)] == [None] * 5
        cache.close()
        return warnings

    assert len(asyncio.run(scenario())) == 1


def test_a_checkpoint_that_cannot_open_the_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="unable to open"):
        checkpoint(tmp_path / "no" / "cache.db")


def assert_right_or_missing(cache: CompletionCache, numbers: range) -> None:
    async def read_all() -> list[Completion]:
        found = []
        for number in numbers:
            found.append(cache.get(key_of(number)))
            await asyncio.sleep(0)  # what is read belongs to a turn of the loop
        return [one for one in found if one is not None]

    assert all(replace(one, cached=False) == FULL for one in asyncio.run(read_all()))


def test_a_damaged_page_is_met_by_no_one_but_the_cache(tmp_path: Path) -> None:
    """The loop ends a read transaction; a damaged page can make even that fail."""
    path = tmp_path / "cache.db"
    fill(path, 300)
    good = path.read_bytes()
    source = random.Random(7)
    unhandled: list[object] = []

    async def read_all(cache: CompletionCache) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, what: unhandled.append(what))
        for number in range(300):
            cache.get(key_of(number))
            await asyncio.sleep(0)

    for page in range(1, len(good) // PAGE_BYTES):
        start = page * PAGE_BYTES
        broken = tmp_path / f"page{page}" / "cache.db"
        broken.parent.mkdir()
        damage = source.randbytes(PAGE_BYTES)
        broken.write_bytes(good[:start] + damage + good[start + PAGE_BYTES :])
        cache = open_cache(broken, [])
        asyncio.run(read_all(cache))
        cache.close()
    assert not unhandled


def test_one_process_at_a_time_opens_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cache.db"
    with alone(path):
        opening = threading.Thread(target=lambda: CacheStore(path).close())
        opening.start()
        opening.join(0.05)
        assert not path.exists()
    opening.join(30)
    assert path.exists()
    monkeypatch.setattr("lve.execution.cache.locks.OPEN_TIMEOUT_S", 0.01)
    warnings: list[str] = []
    with alone(path):
        assert CompletionCache.open(path, warn=warnings.append) is None
    assert "(another process is opening it)" in warnings[0]


def test_a_file_that_took_the_corrupt_ones_place_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    corrupt = CacheStore(path)
    with alone(path):
        move_aside(path)  # by another process, which begins anew
    CacheStore(path).close()
    corrupt.close()
    assert corrupt.move_aside() is None
    assert path.exists()


def test_damage_in_the_middle_of_the_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    store = CacheStore(path)
    store.write([(bytes.fromhex(key_of(n)), "m", 1.0, "x" * 500) for n in range(500)])
    store.close()
    assert damage_of(path, 1) is None
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2)
        file.write(b"\xff" * 4096)
    assert damage_of(path, 1) is not None
