"""The cache file for use from an event loop: looks completions up, and stores them in groups.

A lookup is synchronous: it takes about 5 µs, less than passing it to a thread. Writing is a group
commit in the event loop: completions that arrive together are committed in one transaction, which
only passes pages to the kernel. When `put` returns, the completion survives `kill -9`; within a
second, a thread makes it survive a power loss (`durability.py`).
"""

from __future__ import annotations

import random
import sqlite3
import time
from asyncio import AbstractEventLoop, Future, TimerHandle, get_running_loop
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lve.errors import SessionError, with_code
from lve.execution.cache.contract import Claims
from lve.execution.cache.key import request_key
from lve.execution.cache.sqlite import CacheStore, Entry, open_store
from lve.execution.cache.sqlite_file import CACHE_FILE, is_locked
from lve.execution.cache.users import CacheUsers
from lve.execution.cache.value import completion_from_text, value_text, with_checksum
from lve.execution.durability import PeriodicSync
from lve.execution.stop import StopSignal
from lve.extension_table import extension_part
from lve.files.inside import reason_of
from lve.messages import Completion

__all__ = ["CACHE_FILE", "CompletionCache", "request_key"]

MAX_BATCH = 512
LOOP_SHARE = 0.2
"""Share of the event loop's time for commits. Rarer commits have larger groups."""
MAX_WAIT_S = 0.05
"""Most seconds until the next commit, so that one that the disk has slowed down doesn't delay the
next ones for long."""
LOOK_S = 0.5
"""Seconds between two looks whether another process uses the file, too."""
LOCKED_FOR_S = 60.0
"""Seconds to wait for another process's lock before giving up."""


class CompletionCache:
    """Completions by request, for one event loop. Several processes may share the file."""

    def __init__(self, store: CacheStore, *, warn: Callable[[str], None]) -> None:
        self._store = store
        self._warn = warn
        self._sync = PeriodicSync(store.sync, name="lve-cache-sync")
        self._pending: list[tuple[Entry, Future[None]]] = []
        self._loop: AbstractEventLoop | None = None
        self._scheduled = False
        self._not_before = 0.0
        self._locked_since: float | None = None
        self._corrupt = False
        self._is_unreadable = False
        self.hits = 0
        """Completions served so far."""
        self.asking: dict[str, list[Future[None]]] = {}
        """The keys that a model is being asked for (`CompletionStore.asking`)."""
        self.claims: Claims | None = None
        """The claims of keys; None while no other process uses the file."""
        self._users: CacheUsers | None = None
        self._look: TimerHandle | None = None

    @classmethod
    def open(cls, path: Path, *, warn: Callable[[str], None]) -> CompletionCache | None:
        """Open the cache file; make it and its folder if needed.

        Args:
            path: `workspace.session_dir / CACHE_FILE`.
            warn: called with a warning if an unusable file was renamed, or there is no cache.

        Returns:
            None if the file can't be written.
        """
        store = open_store(path, warn=warn)
        return None if store is None else cls(store, warn=warn)

    def claim_keys(self, stop_signal: StopSignal) -> None:
        """Claim the keys that the model is asked for as soon as another process uses the file, too,
        so that only one of them asks. Call it in the loop's thread.

        Args:
            stop_signal: the session's, which ends waiting for others.
        """
        with suppress(OSError):  # without locks, or with somebody else's file in its place
            self._users = CacheUsers(self._store.path)
            self._look_around(get_running_loop(), stop_signal)

    def _look_around(self, loop: AbstractEventLoop, stop_signal: StopSignal) -> None:
        assert self._users is not None
        if self._users.look(self.asking):
            self._look = loop.call_later(LOOK_S, self._look_around, loop, stop_signal)
        else:
            make = extension_part("claims of keys in a file")
            self.claims = make(self, self._users, stop_signal=stop_signal, warn=self._warn)

    def get_anew(self, key: str) -> Completion | None:
        """Return what `get` does, and see what others have stored since this turn of the loop
        began."""
        self._store.reader.end()
        return self.get(key)

    def get(self, key: str) -> Completion | None:
        """Return the completion stored under `key` (see `request_key`), marked `cached`, or None.
        Call it in the loop's thread."""
        if self._corrupt:
            return None
        reader = self._store.reader
        if not reader.is_reading:
            # One read transaction serves all lookups in this turn of the loop.
            get_running_loop().call_soon(reader.end)
        try:
            text = reader.value(key)
            if text is None:
                return None
            completion = completion_from_text(text, key)
        except sqlite3.DatabaseError as error:
            self._give_up(error)
            return None
        except (ValueError, KeyError, TypeError, RecursionError):  # damaged or forged: ask again
            return None
        self.hits += 1
        return completion

    async def put(self, key: str, completion: Completion, *, model: str = "") -> None:
        """Store a completion; return when it is committed. A cancelled `put` is committed, too.

        Args:
            key: the key (see `request_key`).
            completion: the model's completion.
            model: the user's name of the model, for `lve session cache stats` and `prune`.

        Raises:
            SessionError: it can't be stored, because the disk is full, say. Earlier entries are
                intact.
        """
        if self._corrupt:
            return
        loop = self._loop = self._loop or get_running_loop()  # a system call each time
        name = model or completion.model or ""
        row = (
            bytes.fromhex(key),
            # A byte of the command line that isn't UTF-8 is a lone surrogate here.
            name.encode("utf-8", "backslashreplace").decode(),
            time.time(),
            with_checksum(value_text(completion), key),
        )
        stored = loop.create_future()
        self._pending.append((row, stored))
        if not self._scheduled:
            self._scheduled = True
            self._schedule(loop)
        await stored

    def close(self) -> None:
        """Commit pending completions, give up all claims, and close the file."""
        while self._pending and not self._corrupt:
            if not self._commit_batch():
                time.sleep(0.005)
        self._sync.close()
        if self._sync.error is not None and not self._corrupt:
            problem = f"the cache may not survive a power loss now ({self._sync.error})"
            self._warn(with_code(problem, "cache"))
        if self.hits and not self._corrupt:
            self._count_hits()
        self._store.close()
        if self._look is not None:
            self._look.cancel()
        if self._users is not None:
            self._users.close()
        if self._corrupt:
            self._move_aside()

    def _move_aside(self) -> None:
        try:
            renamed = self._store.move_aside()
        except OSError as error:
            problem = f"the corrupt cache can't be moved aside ({reason_of(error)})"
            self._warn(with_code(problem, "cache"))
        else:
            if renamed is not None:
                self._warn(with_code(f"the corrupt cache was moved to {renamed.name}", "cache"))

    def _schedule(self, loop: AbstractEventLoop) -> None:
        wait_s = self._not_before - time.perf_counter()
        if wait_s > 0:
            loop.call_later(wait_s, self._commit, loop)
        else:
            loop.call_soon(self._commit, loop)

    def _commit(self, loop: AbstractEventLoop) -> None:
        self._commit_batch()
        self._scheduled = bool(self._pending)
        if self._scheduled:
            self._schedule(loop)

    def _commit_batch(self) -> bool:
        """Commit up to `MAX_BATCH` entries and complete their futures; return False if another
        process has locked the file, so that it must be tried again."""
        batch = self._pending[:MAX_BATCH]
        if not batch:
            return True
        started = time.perf_counter()
        error: Exception | None = None
        try:
            if self._sync.error is not None:
                raise sqlite3.OperationalError(str(self._sync.error))
            done = self._store.write([row for row, _ in batch])
        except sqlite3.DatabaseError as problem:
            done = True
            error = self._failure(problem)
        except Exception as problem:  # whatever it is, the futures must be completed
            done = True
            error = problem
        if not done and not self._is_stuck(started):
            self._not_before = started + random.uniform(0.001, 0.004)
            return False
        if not done:
            error = _disk_error(
                self._store.path, sqlite3.OperationalError("another process locks it")
            )
        self._locked_since = None
        del self._pending[: len(batch)]
        ended = time.perf_counter()
        self._not_before = ended + min((ended - started) * (1 / LOOP_SHARE - 1), MAX_WAIT_S)
        self._sync.mark_dirty()
        _resolve([stored for _, stored in batch], error)
        return True

    def _is_stuck(self, now: float) -> bool:
        if self._locked_since is None:
            self._locked_since = now
        return now - self._locked_since > LOCKED_FOR_S

    def _failure(self, error: sqlite3.DatabaseError) -> Exception | None:
        """Return the error for the futures of a failed batch; None if the run goes on without
        it."""
        if isinstance(error, sqlite3.OperationalError):
            return _disk_error(self._store.path, error)
        self._give_up(error)
        return None

    def _give_up(self, error: sqlite3.DatabaseError) -> None:
        """Go on without the cache: the file is corrupt or can't be read."""
        if isinstance(error, sqlite3.OperationalError):
            if not self._is_unreadable:
                self._is_unreadable = True
                problem = f"the cache can't be read ({error}); the model is asked instead"
                self._warn(with_code(problem, "cache"))
            return
        self._corrupt = True
        problem = f"the cache {self._store.path} is corrupt ({error}); going on without it"
        self._warn(with_code(problem, "cache"))

    def _count_hits(self) -> None:
        try:
            self._store.count_hits(self.hits)
        except sqlite3.OperationalError as error:
            if not is_locked(error):  # don't wait for the lock just for statistics
                self._warn(with_code(f"the cache's statistics can't be written ({error})", "cache"))


def _resolve(futures: list[Future[None]], error: Exception | None) -> None:
    if not futures or futures[0].get_loop().is_closed():
        return
    for stored in futures:
        if stored.done():
            continue
        if error is None:
            stored.set_result(None)
        else:
            stored.set_exception(error)


def _disk_error(path: Path, error: sqlite3.Error) -> SessionError:
    """Return the error to raise when the cache can't be written any more."""
    return SessionError(
        f"the cache {path} can't be written: {error}. Make room on the disk and go on with "
        "`lve run --resume last`, or run with --no-cache; what was stored before is intact",
        code="cache",
    )
