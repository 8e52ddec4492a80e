"""One cache, several processes; processes that are killed, and disks that are full."""

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
from pathlib import Path
from typing import Any

import pytest
from support.caches import FULL, key_of, open_cache
from support.forked import python

from lve.execution.cache.sqlite import CacheStore, open_store
from lve.execution.cache.sqlite_file import connect, prepare
from lve.extensions.caching.contents import stats_of


def test_two_processes_on_one_cache_lose_nothing(tmp_path: Path) -> None:
    script = f"""
        import asyncio, sys
        from pathlib import Path
        from lve.execution.cache.cache import CompletionCache, request_key
        from lve.messages import Completion, Message
        from lve.models.chat_model import ChatRequest

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
    processes = [begin(script, str(start)) for start in starts]
    said = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 3, said
    store = CacheStore(tmp_path / "cache.db")
    assert stats_of(store.path).entries == 1200
    for number in range(1200):
        assert f'"text":"{number}"' in (store.reader.value(key_of(number)) or "")
    store.close()


def test_processes_that_meet_a_corrupt_file_together_share_one_new_cache(tmp_path: Path) -> None:
    (tmp_path / "cache.db").write_bytes(b"garbage" * 1000)
    script = f"""
        import asyncio, sys, time
        from pathlib import Path
        from lve.execution.cache.cache import CompletionCache
        from lve.messages import Completion

        async def main(key):
            cache = CompletionCache.open(Path({str(tmp_path / "cache.db")!r}), warn=print)
            await cache.put(key, Completion("x"))
            cache.close()

        time.sleep(max(0, float(sys.argv[2]) - time.time()))
        asyncio.run(main(sys.argv[1]))
    """
    together = str(time.time() + 1)  # when all have imported what they need
    processes = [begin(script, f"{number:032x}", together) for number in range(8)]
    said = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 8, said
    assert len(list(tmp_path.glob("cache.db.unusable-*[0-9a-f]"))) == 1
    store = CacheStore(tmp_path / "cache.db")
    assert stats_of(store.path).entries == 8
    store.close()


def test_everything_acknowledged_survives_kill_minus_nine(tmp_path: Path) -> None:
    script = f"""
        import asyncio, sys
        from pathlib import Path
        from lve.execution.cache.cache import CompletionCache, request_key
        from lve.messages import Completion, Message
        from lve.models.chat_model import ChatRequest

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
        process = begin(script, str(life * 1_000_000))
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
    assert all(store.reader.value(key_of(number)) for number in acknowledged)
    assert stats_of(store.path).entries >= len(acknowledged)
    store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no RLIMIT_FSIZE")
def test_a_full_disk_is_a_clear_error_and_corrupts_nothing(tmp_path: Path) -> None:
    script = f"""
        import asyncio, resource, sys
        from pathlib import Path
        from lve.errors import SessionError
        from lve.execution.cache.cache import CompletionCache, request_key
        from lve.messages import Completion, Message
        from lve.models.chat_model import ChatRequest

        sys.dont_write_bytecode = True  # Python would keep half of a compiled module
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
    process = begin(script)
    output, _ = process.communicate(timeout=60)
    count, message = output.decode().split("\n", 1)
    assert "can't be written" in message
    assert "--no-cache" in message
    store = CacheStore(tmp_path / "cache.db")
    assert stats_of(store.path).entries == int(count) > 10
    store.close()
    with sqlite3.connect(tmp_path / "cache.db") as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


def test_a_write_that_fails_leaves_nothing_behind_and_blocks_nobody(tmp_path: Path) -> None:
    """Of its 130 rows only the last, in the second statement, has no value."""
    store, other = CacheStore(tmp_path / "cache.db"), CacheStore(tmp_path / "cache.db")
    rows: list[Any] = [(b"%d" % number, "m", 0.0, "{}") for number in range(129)]
    with pytest.raises(sqlite3.IntegrityError):
        store.write([*rows, (b"last", "m", 0.0, None)])
    assert stats_of(store.path).entries == 0
    assert other.write([(b"others", "m", 0.0, "{}")]), "its transaction is over"
    assert store.write([(b"later", "m", 0.0, "{}")])
    assert stats_of(other.path).entries == 2
    assert store.reader.value(b"0".hex()) is None
    store.close()
    other.close()


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


def begin(script: str, *args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*python(), "-c", textwrap.dedent(script), *args], stdout=subprocess.PIPE
    )
