"""Reads and writes the cache's SQLite file, synchronously; `cache.py` makes it concurrent.

The table has a sequential id beside the key, so that values are appended, and only the small index
is written at random places. With the key as primary key (WITHOUT ROWID), storing would take 2.5
times as long (benchmarks/README.md). Pages are small for the same reason.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from lve.errors import with_code
from lve.execution.cache.locks import alone
from lve.execution.cache.reading import CacheReader, OwnEntries
from lve.execution.cache.sqlite_file import (
    UnusableCacheError,
    checkpoint,
    connect_writer,
    file_id,
    fsync,
    is_locked,
    move_aside,
    open_reader,
)
from lve.files.inside import reason_of
from lve.workspace import make_session_dir

READ_TIMEOUT_S = 10.0
MAX_ROWS = 128
"""Most entries per statement: each has 4 parameters, and old versions of SQLite allow 999."""
WAL_BYTES = 8 * 1024 * 1024
"""The sync thread copies a larger write-ahead log into the database."""

Entry = tuple[bytes, str, float, str]
"""Key, model name, creation (Unix time), completion as JSON."""


class CacheStore:
    """An open cache file. Use from one thread, except `sync`."""

    def __init__(self, path: Path) -> None:
        """Open the file, or create it.

        Raises:
            UnusableCacheError: it must be renamed.
            OSError, sqlite3.OperationalError: it can't be written.
        """
        self.path = path
        make_session_dir(path.parent)
        with alone(path):
            self._reader = open_reader(path, READ_TIMEOUT_S)
            try:
                self._writer = connect_writer(path)
            except BaseException:
                self._reader.close()
                raise
            self._file = file_id(path)
        self.reader = CacheReader(self._reader, OwnEntries.of(self._reader, self._writer))
        """Looks completions up."""

    def write(self, rows: Sequence[Entry]) -> bool:
        """Commit entries in one transaction.

        Returns:
            False if another process is writing: nothing was stored, try again soon.

        Raises:
            sqlite3.DatabaseError: disk full or broken, or file corrupt; nothing was stored.
        """
        try:
            self._writer.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if is_locked(error):
                return False
            raise
        try:
            if self.reader.own is not None:
                self.reader.own.add([row[0] for row in rows])
            for start in range(0, len(rows), MAX_ROWS):
                self._insert(rows[start : start + MAX_ROWS])
            self._writer.execute("COMMIT")
            self.reader.end()  # later reads must see these entries
        except BaseException:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
            raise
        return True

    def _insert(self, rows: Sequence[Entry]) -> None:
        # One statement for many entries releases the interpreter lock only once. Powers of two keep
        # the number of different statements small, because each one is compiled.
        while rows:
            count = 1 << (len(rows).bit_length() - 1)
            places = ",".join(["(?,?,?,?)"] * count)
            statement = (
                f"INSERT OR REPLACE INTO completions(key,model,created,value) VALUES {places}"
            )
            self._writer.execute(statement, [value for row in rows[:count] for value in row])
            rows = rows[count:]

    def sync(self) -> None:
        """Make all commits survive power loss. May be called from another thread."""
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

    def move_aside(self) -> Path | None:
        """Rename the closed file and return its new path; None if another file has its name by now.

        Raises:
            OSError: it can't be renamed.
        """
        with alone(self.path):
            return move_aside(self.path) if self._file == file_id(self.path) else None

    def close(self) -> None:
        """Close the file. The last process to do so merges the write-ahead log into it."""
        self.reader.end()
        self._writer.close()
        self._reader.close()


def open_store(path: Path, *, warn: Callable[[str], None]) -> CacheStore | None:
    """Open the cache. A file that is corrupt or of a newer version is renamed, with a warning.

    Returns:
        None, after a warning, if no cache can be written.
    """
    try:
        try:
            return CacheStore(path)
        except UnusableCacheError:
            with alone(path):
                _make_room(path, warn)
            return CacheStore(path)
    except (OSError, sqlite3.OperationalError, UnusableCacheError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else error
        warning = f"no cache: {path} can't be used ({reason}); completions are not kept for later"
        warn(with_code(warning, "cache"))
        return None


def _make_room(path: Path, warn: Callable[[str], None]) -> None:
    """Rename an unusable cache, unless another process has just done so."""
    try:
        open_reader(path, READ_TIMEOUT_S).close()
    except UnusableCacheError as problem:
        try:
            renamed = move_aside(path)
        except OSError as error:
            why = f"{problem}, and can't be moved aside: {reason_of(error)}"
            raise UnusableCacheError(why) from error
        warning = f"the cache {path} {problem}; moved to {renamed.name}, a new one is begun"
        warn(with_code(warning, "cache"))
