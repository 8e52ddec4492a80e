"""Lookups with few statements: none in a cache of one's own, one for many entries otherwise."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

import pytest

from lve.execution.cache import reading as module
from lve.execution.cache.sqlite import CacheStore
from lve.extensions.caching.contents import prune

ROWS = 600


def key(number: int) -> bytes:
    return blake2b(b"%d" % number, digest_size=16).digest()


def opened(path: Path, *, rows: range = range(0), text: str = "text of") -> CacheStore:
    store = CacheStore(path / "cache.db")
    if rows:
        store.write([(key(n), "m", 0.0, f"{text} {n}") for n in rows])
    return store


def selects(store: CacheStore) -> list[str]:
    """Return a list to which each later SELECT of a store is added."""
    seen: list[str] = []
    connection = store.reader._connection
    connection.set_trace_callback(lambda sql: seen.append(sql) if "SELECT" in sql else None)
    return seen


def values(store: CacheStore, numbers: list[int], turn: int = 16) -> list[str | None]:
    """Look up in turns of the loop."""
    found = []
    for place, number in enumerate(numbers):
        found.append(store.reader.value(key(number).hex()))
        if place % turn == turn - 1:
            store.reader.end()
    store.reader.end()
    return found


def test_a_first_run_looks_nothing_up(tmp_path: Path) -> None:
    store = opened(tmp_path)
    seen = selects(store)
    assert values(store, [*range(ROWS)]) == [None] * ROWS
    assert seen == []
    store.close()


def test_a_first_run_sees_what_it_has_written_itself(tmp_path: Path) -> None:
    store = opened(tmp_path, rows=range(ROWS))
    assert store.reader.own is not None
    assert values(store, [*range(ROWS)]) == [f"text of {n}" for n in range(ROWS)]
    assert store.reader.own is not None, "its own entries are no others"
    seen = selects(store)
    assert values(store, [*range(ROWS, 2 * ROWS)]) == [None] * ROWS
    assert len(seen) < ROWS / 50, "few bits are shared"
    store.close()


@pytest.mark.parametrize("writes", [True, False])
def test_what_another_process_writes_is_seen_in_the_next_turn(
    tmp_path: Path, *, writes: bool
) -> None:
    store, other = opened(tmp_path), opened(tmp_path)
    assert values(store, [1, 2]) == [None, None]
    other.write([(key(1), "m", 0.0, "theirs")])
    if writes:
        store.write([(key(3), "m", 0.0, "ours")])
    assert values(store, [1, 2]) == ["theirs", None]
    assert store.reader.own is None
    other.write([(key(2), "m", 0.0, "theirs")])
    assert values(store, [1, 2]) == ["theirs", "theirs"]
    store.close()
    other.close()


def test_a_cache_with_entries_has_others(tmp_path: Path) -> None:
    opened(tmp_path, rows=range(3)).close()
    store = opened(tmp_path)
    assert store.reader.own is None
    assert values(store, [2, 3]) == ["text of 2", None]
    store.close()


def test_entries_that_were_asked_for_together_are_read_together(tmp_path: Path) -> None:
    opened(tmp_path, rows=range(ROWS)).close()
    store = opened(tmp_path)
    seen = selects(store)
    numbers = [*range(ROWS)]
    for start in range(0, ROWS, 30):  # answers that come at the same time come in any order
        part = numbers[start : start + 30]
        random.Random(start).shuffle(part)
        numbers[start : start + 30] = part
    assert values(store, numbers) == [f"text of {n}" for n in numbers]
    assert len(seen) < ROWS / 10
    assert len(store.reader._held) <= 2 * module.MOST
    store.close()


def test_entries_in_any_order_are_read_one_by_one(tmp_path: Path) -> None:
    opened(tmp_path, rows=range(20_000)).close()
    store = opened(tmp_path)
    seen = selects(store)
    numbers = random.Random(1).sample(range(20_000), 200)
    assert values(store, numbers) == [f"text of {n}" for n in numbers]
    assert len(seen) < 210
    store.close()


def test_few_are_read_together_where_most_are_of_no_use(tmp_path: Path) -> None:
    store, other = opened(tmp_path, rows=range(ROWS)), opened(tmp_path)
    for number in range(0, ROWS, 20):
        assert values(other, [number]) == [f"text of {number}"]
        store.write([(b"%16d" % number, "m", 0.0, "new")])  # and all must be read again
    assert other.reader._number == module.LEAST
    store.close()
    other.close()


def test_what_another_process_changes_is_not_served_from_what_was_read_before(
    tmp_path: Path,
) -> None:
    store = opened(tmp_path, rows=range(50))
    other = opened(tmp_path)
    assert values(other, [0, 1]) == ["text of 0", "text of 1"]
    assert other.reader._held, "2 is there already"
    store.write([(key(2), "m", 0.0, "new")])
    assert values(other, [2, 3]) == ["new", "text of 3"]
    prune(store.path)
    assert values(other, [4]) == [None]
    store.close()
    other.close()


def test_long_entries_are_not_read_together(tmp_path: Path) -> None:
    opened(tmp_path, rows=range(6), text="x" * module.MAX_CHARACTERS).close()
    store = opened(tmp_path)
    for number in range(6):
        assert store.reader.value(key(number).hex()) is not None
        assert store.reader._held == {}
    store.close()


@pytest.mark.parametrize("value", ["x'00ff'", "7", "CAST(x'ff' AS TEXT)", "'a' || char(10) || 'b'"])
def test_a_forged_neighbour_harms_no_entry(tmp_path: Path, value: str) -> None:
    opened(tmp_path, rows=range(6)).close()
    with closing(sqlite3.connect(tmp_path / "cache.db")) as db, db:
        db.execute(f"UPDATE completions SET value={value} WHERE id=4")
    store = opened(tmp_path)
    assert values(store, [0, 1, 2, 4, 5]) == [f"text of {n}" for n in (0, 1, 2, 4, 5)]
    store.close()


def test_an_entry_with_the_largest_number_can_be_read(tmp_path: Path) -> None:
    opened(tmp_path, rows=range(6)).close()
    with closing(sqlite3.connect(tmp_path / "cache.db")) as db, db:
        db.execute(f"UPDATE completions SET id={2**63 - 1} WHERE id=4")
    store = opened(tmp_path)
    assert values(store, [3, 3, 0]) == ["text of 3", "text of 3", "text of 0"]
    store.close()
