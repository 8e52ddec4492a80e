"""What keeping results costs, per completion: key, cache, journal, tally.

    python benchmarks/store.py [N]

Times are per operation, in microseconds of wall time on one thread; the floor is the same SQLite
file used bare, and `os.write` of lines of the same size.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lve.execution.cache.cache import CompletionCache, request_key
from lve.messages import Completion, Message, Role, Transcript, Usage
from lve.models.chat_model import ChatRequest
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.journal import Journal
from lve.sessions.journal.reading import read_journal
from lve.verdicts.tally import Tally

IDENTITY = {"provider": "openai", "base_url": "http://127.0.0.1:8000/v1", "model": "m"}
TEXT = "The sum of the two numbers is 42, which is also the answer to everything else. " * 4


def main(count: int) -> None:
    """Measure and print a table."""
    requests = [
        ChatRequest(
            (Message("You are terse.", Role.system), Message(f"Compute {i} + 1")),
            {"temperature": 0.0, "max_tokens": 100},
        )
        for i in range(count)
    ]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        keys: list[str] = []
        row("request_key", count, lambda: keys.extend(request_key(IDENTITY, r) for r in requests))
        asyncio.run(measure_cache(place / "cache.db", keys))
        measure_bare_sqlite(place / "cache.db", place / "bare.db", keys)
        measure_journal(place / "results.jsonl", count)


def row(name: str, count: int, work: Callable[[], object]) -> float:
    """Run `work` and print what one of its `count` operations took."""
    cpu, wall = time.thread_time(), time.perf_counter()
    work()
    cpu, wall = time.thread_time() - cpu, time.perf_counter() - wall
    print(f"{name:44} {wall / count * 1e6:7.1f} µs   CPU {cpu / count * 1e6:6.1f} µs")
    return wall


async def measure_cache(path: Path, keys: list[str]) -> None:
    """Puts by 64 and 500 tasks at once, hits, misses."""
    completion = Completion(TEXT, "stop", Usage(20, 80), 0.05, model="m-2026")
    half = len(keys) // 2
    cache = CompletionCache.open(path, warn=print)
    assert cache is not None
    await asyncio.gather(*(cache.put(key, completion) for key in keys[:64]))
    for tasks, part in ((64, keys[:half]), (500, keys[half:])):
        await measure_puts(cache, completion, tasks, part)
    for name, wanted in (("hit", keys), ("miss", [key[::-1] for key in keys])):
        cpu, wall = time.thread_time(), time.perf_counter()
        for key in wanted:
            cache.get(key)
        cpu, wall = time.thread_time() - cpu, time.perf_counter() - wall
        text = f"cache get, {name}"
        print(
            f"{text:44} {wall / len(wanted) * 1e6:7.1f} µs   CPU {cpu / len(wanted) * 1e6:6.1f} µs"
        )
    row("cache close (per entry)", len(keys), cache.close)


async def measure_puts(
    cache: CompletionCache, completion: Completion, tasks: int, keys: list[str]
) -> None:
    """Put from many tasks, as the engine does."""
    source = iter(keys)

    async def worker() -> None:
        for key in source:
            await cache.put(key, completion, model="openai/m")

    cpu, wall = time.thread_time(), time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(tasks)))
    cpu, wall = time.thread_time() - cpu, time.perf_counter() - wall
    text = f"cache put, {tasks} tasks"
    rate = len(keys) / wall
    each = f"{wall / len(keys) * 1e6:7.1f} µs   CPU {cpu / len(keys) * 1e6:6.1f} µs"
    print(f"{text:44} {each}   {rate:,.0f}/s")


def measure_bare_sqlite(full: Path, empty: Path, keys: list[str]) -> None:
    """The floors, and the table layout that we didn't take."""
    db = sqlite3.connect(full, isolation_level=None)
    query = "SELECT value FROM completions WHERE key=?"
    wanted = [bytes.fromhex(key) for key in keys]
    row(
        "  floor: bare SELECT",
        len(keys),
        lambda: [db.execute(query, (key,)).fetchone() for key in wanted],
    )
    db.close()
    db = sqlite3.connect(empty, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("CREATE TABLE c(key BLOB PRIMARY KEY, value TEXT) WITHOUT ROWID")

    def insert() -> None:
        for start in range(0, len(wanted), 64):
            db.execute("BEGIN")
            db.executemany(
                "INSERT INTO c VALUES(?,?)", [(key, TEXT) for key in wanted[start : start + 64]]
            )
            db.execute("COMMIT")

    row("  loser: WITHOUT ROWID, batches of 64", len(keys), insert)
    db.close()


def measure_journal(path: Path, count: int) -> None:
    """Lines of fresh and of cached results, reading back, tallying."""
    results = {cached: [a_result(i, cached=cached) for i in range(count)] for cached in (0, 1)}
    for cached, name in ((0, "journal line"), (1, "journal line, result from the cache")):
        journal = Journal(path.with_suffix(f".{cached}"))
        row(name, count, lambda c=cached, j=journal: [j.append(r) for r in results[c]])  # type: ignore[misc]
        journal.close()
    size = path.with_suffix(".0").stat().st_size // count
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    row("  floor: os.write", count, lambda: [os.write(handle, b"x" * size) for _ in range(count)])
    os.close(handle)
    row("journal read back", count, lambda: list(read_journal(path.with_suffix(".0"))))
    tally = Tally("t", "m")
    row("tally", count, lambda: add_all(tally, results[0]))


def add_all(tally: Tally, results: list[InstanceResult]) -> None:
    """Count results, one by one."""
    for result in results:
        tally.add(result)


def a_result(number: int, *, cached: int) -> InstanceResult:
    """Return a result as a sum test has it."""
    completion = Completion(TEXT, "stop", Usage(20, 80), 0.05, model="m-2026")
    messages = (
        Message("You are terse.", Role.system),
        Message(f"Compute {number} + 1"),
        Message(TEXT, Role.assistant, variable="response"),
    )
    return InstanceResult(
        test="repository/sums",
        model="openai/m",
        source="instances/main.jsonl",
        line=number + 1,
        repeat=0,
        args={"a": str(number), "b": "1"},
        verdict="passed",
        reason="",
        responses=(TEXT,),
        transcripts=(Transcript(messages, (completion,), filled=(2,)),),
        usage=Usage(20, 80),
        latency_s=0.05,
        cached=bool(cached),
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
