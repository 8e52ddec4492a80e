"""A cache that somebody else prepared: nothing in it runs, and nothing is written elsewhere."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lve.execution.cache.cache import CACHE_FILE, CompletionCache
from lve.execution.cache.sqlite_file import files_of
from lve.messages import Completion

KEY = "ab" * 32

PREPARED = {
    "a trigger": "CREATE TRIGGER planted AFTER INSERT ON completions"
    " BEGIN UPDATE completions SET value='planted'; END",
    "a view": "CREATE VIEW planted AS SELECT * FROM completions",
    "another table": "CREATE TABLE planted(x)",
    "another index": "CREATE INDEX planted ON completions(length(value))",
    "a view in the table's place": "DROP TABLE completions;"
    "CREATE VIEW completions AS SELECT 1 AS id, x'00' AS key, 'm' AS model, 0.0 AS created,"
    " 'planted' AS value",
    "a column that is computed": "DROP TABLE completions;"
    "CREATE TABLE completions(id INTEGER PRIMARY KEY, key BLOB NOT NULL, model TEXT NOT NULL,"
    " created REAL NOT NULL, value TEXT GENERATED ALWAYS AS (hex(key)))",
}


async def use(path: Path, warnings: list[str]) -> bool:
    """Store a completion and look it up again; return whether there is a cache."""
    cache = CompletionCache.open(path, warn=warnings.append)
    if cache is None:
        return False
    await cache.put(KEY, Completion(text="hello"), model="m")
    found = cache.get(KEY)
    assert found is not None
    assert found.text == "hello"
    cache.close()
    return True


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Of a cache that has one completion."""
    file = tmp_path / ".lve" / CACHE_FILE
    assert asyncio.run(use(file, []))
    return file


@pytest.mark.parametrize("script", PREPARED.values(), ids=PREPARED)
def test_what_lve_did_not_make_is_moved_aside(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.executescript(script)
    warnings: list[str] = []
    assert asyncio.run(use(path, warnings))
    assert len(warnings) == 1
    assert "that lve didn't make" in warnings[0]
    assert "moved to cache.db.unusable-" in warnings[0]


@pytest.mark.parametrize("number", range(3), ids=["database", "log", "index"])
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("../elsewhere")])
def test_a_pipe_or_link_is_told_at_once_and_not_followed(
    path: Path, number: int, make: object
) -> None:
    file = files_of(path)[number]
    file.unlink(missing_ok=True)
    make(file)  # type: ignore[operator] # a function of a path
    warnings: list[str] = []
    assert not asyncio.run(use(path, warnings))
    assert len(warnings) == 1
    assert "not a regular file" in warnings[0] or "a link" in warnings[0]
    assert not (path.parent.parent / "elsewhere").exists()


def test_a_linked_state_folder_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".lve").symlink_to("elsewhere")
    warnings: list[str] = []
    assert not asyncio.run(use(tmp_path / ".lve" / CACHE_FILE, warnings))
    assert "a link" in warnings[0]
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_all_files_are_the_users_alone(tmp_path: Path) -> None:
    async def modes() -> set[int]:
        cache = CompletionCache.open(tmp_path / ".lve" / CACHE_FILE, warn=[].append)
        assert cache is not None
        await cache.put(KEY, Completion(text="hello"), model="m")
        found = {file.stat().st_mode & 0o777 for file in files_of(tmp_path / ".lve" / CACHE_FILE)}
        cache.close()
        return found

    old = os.umask(0)
    try:
        assert asyncio.run(modes()) == {0o600}
    finally:
        os.umask(old)
    assert (tmp_path / ".lve").stat().st_mode & 0o777 == 0o700
