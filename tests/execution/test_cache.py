"""The cache of completions: what it keeps, through what it survives."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lve.errors import SessionError
from lve.execution.cache import CompletionCache, request_key
from lve.execution.cache_file import VERSION, checkpoint, connect, move_aside, prepare
from lve.execution.cache_store import CacheStore, open_store
from lve.messages import Completion, Message, Usage
from lve.models.base import ChatRequest

FULL = Completion(
    text='hello \x1b[31m "quoted" \u2028 \ud800 ñ',
    finish_reason="stop",
    usage=Usage(10, 20),
    latency_s=0.25,
    first_token_s=0.1,
    model="served",
    logprobs=[{"token": "a", "logprob": -0.5}],
)


def key_of(number: int) -> str:
    return request_key({"provider": "x"}, ChatRequest(messages=(Message(str(number)),)))


def open_cache(path: Path, warnings: list[str] | None = None) -> CompletionCache:
    cache = CompletionCache.open(path, warn=pytest.fail if warnings is None else warnings.append)
    assert cache is not None
    return cache


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
        assert store.stats().entries == 1000
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
    assert store.stats().entries == 1
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
    assert store.stats().hits == 6
    store.close()


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
        for number in range(0, 500, 10):
            assert_right_or_missing(cache, number)
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
        for number in range(300):
            assert_right_or_missing(cache, number)
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


def test_prune_by_model_age_and_size(tmp_path: Path) -> None:
    async def scenario() -> None:
        cache = open_cache(tmp_path / "cache.db")
        for number in range(10):
            model = "a" if number % 2 else "b"
            await cache.put(key_of(number), Completion("x" * 100), model=model)
        cache.close()

    asyncio.run(scenario())
    store = CacheStore(tmp_path / "cache.db")
    size = store.stats().models[0].size_bytes // 5
    assert [(m.model, m.entries) for m in store.stats().models] == [("a", 5), ("b", 5)]
    assert store.prune(model="a") == 5
    assert store.prune(older_than_s=3600) == 0
    assert store.prune(max_bytes=2 * size) == 3
    assert store.read(bytes.fromhex(key_of(8))) is not None, "the newest stay"
    assert store.prune() == 2
    assert (tmp_path / "cache.db-wal").stat().st_size == 0, "the space is given back at once"
    assert store.stats().entries == 0
    store.close()


def test_two_processes_on_one_cache_lose_nothing(tmp_path: Path) -> None:
    script = f"""
        import asyncio, sys
        from pathlib import Path
        from lve.execution.cache import CompletionCache, request_key
        from lve.messages import Completion, Message
        from lve.models.base import ChatRequest

        def fail(message):
            raise SystemExit(message)

        async def main(start):
            cache = CompletionCache.open(Path({str(tmp_path / "cache.db")!r}), warn=fail)
            async def one(n):
                key = request_key({{"provider": "x"}}, ChatRequest(messages=(Message(str(n)),)))
                cache.get(key)
                await cache.put(key, Completion(str(n)))
                assert cache.get(key).text == str(n)
            for first in range(start, start + 600, 20):
                await asyncio.gather(*(one(n) for n in range(first, first + 20)))
            cache.close()

        asyncio.run(main(int(sys.argv[1])))
    """
    starts = (0, 300, 600)  # overlapping ranges: 0..1199
    processes = [python(script, str(start)) for start in starts]
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    store = CacheStore(tmp_path / "cache.db")
    assert store.stats().entries == 1200
    for number in range(1200):
        assert f'"text":"{number}"' in (store.read(bytes.fromhex(key_of(number))) or "")
    store.close()


def test_processes_that_meet_a_corrupt_file_together_share_one_new_cache(tmp_path: Path) -> None:
    (tmp_path / "cache.db").write_bytes(b"garbage" * 1000)
    script = f"""
        import asyncio, sys
        from pathlib import Path
        from lve.execution.cache import CompletionCache
        from lve.messages import Completion

        async def main(key):
            cache = CompletionCache.open(Path({str(tmp_path / "cache.db")!r}), warn=str)
            await cache.put(key, Completion("x"))
            cache.close()

        asyncio.run(main(sys.argv[1]))
    """
    processes = [python(script, f"{number:032x}") for number in range(4)]
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert len(list(tmp_path.glob("cache.db.unusable-*[0-9a-f]"))) == 1
    store = CacheStore(tmp_path / "cache.db")
    assert store.stats().entries == 4
    store.close()


def test_everything_acknowledged_survives_kill_minus_nine(tmp_path: Path) -> None:
    script = f"""
        import asyncio, sys
        from pathlib import Path
        from lve.execution.cache import CompletionCache, request_key
        from lve.messages import Completion, Message
        from lve.models.base import ChatRequest

        async def main(start):
            cache = CompletionCache.open(Path({str(tmp_path / "cache.db")!r}), warn=print)
            async def one(n):
                key = request_key({{"provider": "x"}}, ChatRequest(messages=(Message(str(n)),)))
                await cache.put(key, Completion(str(n)))
                sys.stdout.write(f"{{n}}\\n")
                sys.stdout.flush()
            n = start
            while True:
                await asyncio.gather(*(one(n + i) for i in range(8)))
                n += 8

        asyncio.run(main(int(sys.argv[1])))
    """
    source = random.Random(3)
    acknowledged: list[int] = []
    for life in range(6):
        process = python(script, str(life * 1_000_000))
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(source.uniform(0, 0.03))
        os.kill(process.pid, signal.SIGKILL)
        rest = process.stdout.read()
        process.wait(10)
        process.stdout.close()
        lines = (first + rest).split(b"\n")[:-1]
        acknowledged += [int(line) for line in lines]
    store = open_store(tmp_path / "cache.db", warn=pytest.fail)
    assert store is not None
    assert len(acknowledged) > 6
    assert all(store.read(bytes.fromhex(key_of(number))) for number in acknowledged)
    assert store.stats().entries >= len(acknowledged)
    store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no RLIMIT_FSIZE")
def test_a_full_disk_is_a_clear_error_and_corrupts_nothing(tmp_path: Path) -> None:
    script = f"""
        import asyncio, resource, sys
        from pathlib import Path
        from lve.errors import SessionError
        from lve.execution.cache import CompletionCache, request_key
        from lve.messages import Completion, Message
        from lve.models.base import ChatRequest

        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

        async def main():
            cache = CompletionCache.open(Path({str(tmp_path / "cache.db")!r}), warn=print)
            for n in range(100_000):
                key = request_key({{"provider": "x"}}, ChatRequest(messages=(Message(str(n)),)))
                try:
                    await cache.put(key, Completion("x" * 1000))
                except SessionError as error:
                    print(n)
                    print(error)
                    return

        asyncio.run(main())
    """
    process = python(script)
    output, _ = process.communicate(timeout=60)
    count, message = output.decode().split("\n", 1)
    assert "can't be written" in message
    assert "--no-cache" in message
    store = CacheStore(tmp_path / "cache.db")
    assert store.stats().entries == int(count) > 10
    store.close()
    with sqlite3.connect(tmp_path / "cache.db") as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


def found_in(cache: CompletionCache, number: int) -> Completion | None:
    async def look() -> Completion | None:
        return cache.get(key_of(number))

    return asyncio.run(look())


def text_at(cache: CompletionCache, number: int) -> str | None:
    found = found_in(cache, number)
    return None if found is None else found.text


def assert_right_or_missing(cache: CompletionCache, number: int) -> None:
    found = found_in(cache, number)
    assert found is None or replace(found, cached=False) == FULL


def fill(path: Path, count: int) -> None:
    async def scenario() -> None:
        cache = open_cache(path)
        await asyncio.gather(*(cache.put(key_of(n), FULL) for n in range(count)))
        cache.close()

    asyncio.run(scenario())


def python(script: str, *args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), *args], stdout=subprocess.PIPE
    )


def test_a_lookup_sees_what_was_stored_a_moment_before(tmp_path: Path) -> None:
    store = CacheStore(tmp_path / "cache.db")
    key = bytes.fromhex(key_of(1))
    assert store.read(key) is None
    assert store.is_reading
    assert store.write([(key, "m", 0.0, "text")])
    assert store.read(key) == "text"
    store.close()


def test_what_another_process_stored_is_seen_in_the_next_turn_of_the_loop(tmp_path: Path) -> None:
    async def scenario() -> None:
        cache, other = open_cache(tmp_path / "cache.db"), open_cache(tmp_path / "cache.db")
        assert cache.get(key_of(1)) is None
        await other.put(key_of(1), FULL)
        await asyncio.sleep(0)
        assert cache.get(key_of(1)) is not None
        cache.close()
        other.close()

    asyncio.run(scenario())


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


def test_two_processes_may_make_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    db = connect(path, 10)
    steps: list[str] = []

    def other_process_is_faster(statement: str) -> None:
        steps.append(statement)
        if len(steps) == 2:
            CacheStore(path).close()

    db.set_trace_callback(other_process_is_faster)
    prepare(db)
    db.close()
    assert len(steps) > 2


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
    class Locked(CacheStore):
        def read(self, key: bytes) -> str | None:
            raise sqlite3.OperationalError("disk I/O error")

    async def scenario() -> list[str]:
        warnings: list[str] = []
        cache = CompletionCache(Locked(tmp_path / "cache.db"), warn=warnings.append)
        assert [cache.get(key_of(number)) for number in range(5)] == [None] * 5
        cache.close()
        return warnings

    assert len(asyncio.run(scenario())) == 1


def test_a_checkpoint_that_cannot_open_the_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="unable to open"):
        checkpoint(tmp_path / "no" / "cache.db")
