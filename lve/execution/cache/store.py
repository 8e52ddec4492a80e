"""The cache's SQLite file. Every method is one synchronous step; `cache.py` makes it concurrent.

The table has a sequential id beside the key: values are appended, and only the small index is
written at random places. With the key as primary key (WITHOUT ROWID) every insert dirties a page of
values, and a put costs 2.5 times as much (benchmarks/README.md). Small pages for the same reason.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lve.errors import SessionError
from lve.execution.cache.file import (
    UnusableCacheError,
    checkpoint,
    connect,
    connect_writer,
    file_id,
    files_of,
    fsync,
    is_locked,
    make_private,
    move_aside,
    prepare,
    retry_while_locked,
)
from lve.workspace import make_state_folder

READ_TIMEOUT_S = 10.0
MAX_ROWS = 128
"""Rows per statement: 4 parameters each, and old SQLite allows 999 parameters."""
LATEST = 32_503_680_000.0
"""Unix time of the year 3000: what is later is no time of a cache, and perhaps of no calendar."""
WAL_BYTES = 8 * 1024 * 1024
"""Beyond this the write-ahead log is copied into the database, in the sync thread."""

Entry = tuple[bytes, str, float, str]
"""Key, model name, creation (Unix time), completion as JSON."""


@dataclass(frozen=True, slots=True)
class ModelStats:
    """What the cache holds of one model."""

    model: str
    entries: int
    size_bytes: int
    """Of the completions themselves."""


@dataclass(frozen=True, slots=True)
class CacheStats:
    """What the cache holds."""

    entries: int
    file_bytes: int
    """With the write-ahead log."""
    hits: int
    """Completions served since the cache was made."""
    oldest: float | None
    """Unix time of the first entry."""
    models: tuple[ModelStats, ...]


class CacheStore:
    """An open cache file. Use from one thread, except `sync`."""

    def __init__(self, path: Path) -> None:
        """Open the file; make it when it isn't there.

        Raises:
            UnusableCacheError: it has to be moved aside.
            OSError, sqlite3.OperationalError: it can't be written here.
        """
        self.path = path
        make_state_folder(path.parent)
        make_private(path)
        self._reader = connect(path, READ_TIMEOUT_S)
        try:
            retry_while_locked(lambda: prepare(self._reader))
            self._writer = connect_writer(path)
        except BaseException:
            self._reader.close()
            raise
        self.is_reading = False
        """Whether a read transaction is open."""
        self._file = file_id(path)

    def read(self, key: bytes) -> str | None:
        """Return the stored JSON, None where there is none.

        Begins a read transaction, which the caller has to end soon (`end_reading`): without one
        every read locks and unlocks the file, which takes as long as the read itself. What is
        committed meanwhile is seen after that.
        """
        if not self.is_reading:
            self._reader.execute("BEGIN")
            self.is_reading = True
        found = self._reader.execute("SELECT value FROM completions WHERE key=?", (key,)).fetchone()
        return None if found is None else found[0]

    def end_reading(self) -> None:
        """End the read transaction, if one is open."""
        if self.is_reading:
            self.is_reading = False
            if self._reader.in_transaction:  # some errors end it by themselves
                self._reader.execute("COMMIT")

    def write(self, rows: Sequence[Entry]) -> bool:
        """Commit rows in one transaction.

        Returns:
            False: another process is writing right now, nothing was done, try again soon.

        Raises:
            sqlite3.DatabaseError: the disk is full or broken, or the file is corrupt. Nothing of
                `rows` was stored.
        """
        try:
            self._writer.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if is_locked(error):
                return False
            raise
        try:
            for start in range(0, len(rows), MAX_ROWS):
                self._insert(rows[start : start + MAX_ROWS])
            self._writer.execute("COMMIT")
            self.end_reading()  # whoever reads now has to see these rows
        except BaseException:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
            raise
        return True

    def _insert(self, rows: Sequence[Entry]) -> None:
        # One statement for all rows, so that the interpreter lock is released and taken once.
        # Powers of two keep the number of different statements small: each is compiled once.
        while rows:
            count = 1 << (len(rows).bit_length() - 1)
            places = ",".join(["(?,?,?,?)"] * count)
            statement = (
                f"INSERT OR REPLACE INTO completions(key,model,created,value) VALUES {places}"
            )
            self._writer.execute(statement, [value for row in rows[:count] for value in row])
            rows = rows[count:]

    def sync(self) -> None:
        """Make everything committed survive power loss. May be called from another thread."""
        wal = Path(f"{self.path}-wal")
        try:
            size = wal.stat().st_size
        except FileNotFoundError:
            return
        if size > WAL_BYTES:
            checkpoint(self.path)
        else:
            fsync(wal)

    def count_hits(self, hits: int) -> None:
        """Add to the number of completions served."""
        self._writer.execute(
            "INSERT INTO counters VALUES('hits',?) ON CONFLICT(name) DO UPDATE SET value=value+?",
            (hits, hits),
        )

    def stats(self) -> CacheStats:
        """Return what the cache holds. Columns of SQLite take values of any type, and what no lve
        has written is left out."""
        models = self._reader.execute(
            "SELECT iif(typeof(model)='text', model, ''), count(*), sum(length(value))"
            " FROM completions GROUP BY 1 ORDER BY 1"
        ).fetchall()
        oldest = self._reader.execute(
            "SELECT min(created) FROM completions"
            " WHERE typeof(created)='real' AND created BETWEEN 0 AND ?",
            (LATEST,),
        ).fetchone()[0]
        hits = self._reader.execute(
            "SELECT value FROM counters WHERE name='hits' AND typeof(value)='integer'"
        ).fetchone()
        return CacheStats(
            entries=sum(row[1] for row in models),
            file_bytes=sum(p.stat().st_size for p in files_of(self.path) if p.exists()),
            hits=hits[0] if hits else 0,
            oldest=oldest,
            models=tuple(ModelStats(*row) for row in models),
        )

    def prune(
        self,
        *,
        older_than_s: float | None = None,
        max_bytes: int | None = None,
        model: str | None = None,
    ) -> int:
        """Delete entries that are older than an age, or of a model, or, oldest first, as many as
        needed for the completions to fit into `max_bytes`. Without arguments: all of them.

        Returns:
            How many were deleted.
        """
        self.end_reading()
        conditions: list[tuple[str, tuple[object, ...]]] = []
        if older_than_s is not None:
            conditions.append(("created < ?", (time.time() - older_than_s,)))
        if model is not None:
            conditions.append(("model = ?", (model,)))
        if conditions or max_bytes is None:
            where = " AND ".join(text for text, _ in conditions) or "1"
            values = tuple(value for _, given in conditions for value in given)
            deleted = self._delete(where, values)
        else:
            deleted = 0
        if max_bytes is not None:
            deleted += self._delete(
                "id <= (SELECT max(id) FROM (SELECT id, sum(length(value)) OVER"
                " (ORDER BY id DESC) AS total FROM completions) WHERE total > ?)",
                (max_bytes,),
            )
        self._shrink()
        return deleted

    def _delete(self, where: str, values: tuple[object, ...]) -> int:
        statement = f"DELETE FROM completions WHERE {where}"
        deleted: list[int] = []
        retry_while_locked(lambda: deleted.append(self._writer.execute(statement, values).rowcount))
        return deleted[0]

    def _shrink(self) -> None:
        try:
            self._writer.execute("VACUUM")
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.OperationalError as error:
            if not is_locked(error):  # in use elsewhere: the space is reused later
                raise

    def is_still_there(self) -> bool:
        """Whether the file of this name is still the one that was opened."""
        return self._file == file_id(self.path)

    def close(self) -> None:
        """Close the file; the last process that does so folds the write-ahead log into it."""
        self.end_reading()
        self._writer.close()
        self._reader.close()


def open_store(path: Path, *, warn: Callable[[str], None]) -> CacheStore | None:
    """Open the cache, whatever is there.

    A corrupt or newer file is moved aside with a warning; where nothing can be written, the warning
    says so and there is no cache (None).
    """
    for _ in range(3):
        found = file_id(path)
        try:
            return CacheStore(path)
        except UnusableCacheError as problem:
            if file_id(path) != found:
                continue  # another process was faster: there is a new file already
            try:
                aside = move_aside(path)
            except OSError as error:
                warn(f"no cache: {path} {problem}, and it can't be moved aside ({error})")
                return None
            warn(f"the cache {path} {problem}; moved to {aside.name}, a new one is begun")
        except (OSError, sqlite3.OperationalError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            warn(f"no cache: {path} can't be used ({reason}); completions are not kept for later")
            return None
    warn(f"no cache: {path} is unusable again and again")
    return None


def disk_error(path: Path, error: sqlite3.Error) -> SessionError:
    """Return what to say when the cache can't be written any more."""
    return SessionError(
        f"the cache {path} can't be written: {error}. Make room on the disk and go on with "
        "`lve run --resume last`, or run with --no-cache; what was stored before is intact"
    )
