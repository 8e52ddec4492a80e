"""Creates, checks, renames and syncs the cache's SQLite file."""

from __future__ import annotations

import os
import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from lve.escape import head
from lve.execution.cache.locks import OPEN_TIMEOUT_S, require_locks
from lve.files.owner_only import check_private_file, open_private

CACHE_FILE = "cache.db"
"""Its name in `workspace.session_dir`."""
APPLICATION_ID = 0x6C766543  # "lveC"
VERSION = 1
MAX_VALUE_BYTES = 256_000_000
"""Largest completion."""
_LIMIT_LENGTH = 0
"""`sqlite3.SQLITE_LIMIT_LENGTH`."""

_COMPLETIONS = """completions(
  id INTEGER PRIMARY KEY, key BLOB NOT NULL, model TEXT NOT NULL,
  created REAL NOT NULL, value TEXT NOT NULL)"""
_KEY = "completions_key ON completions(key)"
_COUNTERS = "counters(name TEXT PRIMARY KEY, value INTEGER NOT NULL)"
_OBJECTS = frozenset(
    {
        ("table", "completions", f"CREATE TABLE {_COMPLETIONS}"),
        ("index", "completions_key", f"CREATE UNIQUE INDEX {_KEY}"),
        ("table", "counters", f"CREATE TABLE {_COUNTERS}"),
        ("index", "sqlite_autoindex_counters_1", None),
    }
)
"""The rows of `sqlite_master` in a cache; any other object is refused."""
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS {_COMPLETIONS};
CREATE UNIQUE INDEX IF NOT EXISTS {_KEY};
CREATE TABLE IF NOT EXISTS {_COUNTERS};
PRAGMA application_id={APPLICATION_ID};
PRAGMA user_version={VERSION};
COMMIT;
"""


class UnusableCacheError(Exception):
    """The file can't be used: it is corrupt, not a cache of lve, or of a newer version."""


def move_aside(path: Path) -> Path:
    """Rename an unusable cache file, with its log and index, and return its new path. Call it
    inside `alone`."""
    stamp = f"{time.strftime('%Y%m%d-%H%M%S')}-{random.randrange(16**4):04x}"
    target = path.with_name(f"{path.name}.unusable-{stamp}")
    # The database last: when it is gone, a process without locks may begin a new one and its log.
    for old, new in reversed(list(zip(files_of(path), files_of(target), strict=True))):
        if old.exists():
            old.rename(new)
    return target


def file_id(path: Path) -> int | None:
    """Return the file's inode, which a later file of the same name won't have; None without a
    file."""
    try:
        return path.stat().st_ino
    except OSError:
        return None


def files_of(path: Path) -> tuple[Path, Path, Path]:
    """Return the database, its write-ahead log and its shared index."""
    return path, Path(f"{path}-wal"), Path(f"{path}-shm")


def is_locked(error: sqlite3.Error) -> bool:
    """Whether another process has locked the file, so that trying again makes sense."""
    return "locked" in str(error) or "busy" in str(error)


def make_private(path: Path) -> None:
    """Create a database file that only the user can read, or check that an existing one belongs to
    the user. SQLite gives log and index the same permissions.

    Raises:
        OSError: the file can't be created.
        RefusedFileError: one of the files is a link, not a regular file, or another user's.
    """
    with suppress(FileExistsError):
        os.close(open_private(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    for file in files_of(path):
        check_private_file(file)


def connect(path: Path, timeout_s: float) -> sqlite3.Connection:
    """Open a connection in autocommit mode that several threads may use and that doesn't trust the
    file's schema.

    Raises:
        OSError: the file system has no locks.
    """
    require_locks(path.parent)
    db = sqlite3.connect(path, timeout=timeout_s, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA trusted_schema=OFF")
    db.execute("PRAGMA cell_size_check=ON")
    if hasattr(db, "setlimit"):  # since Python 3.11
        db.setlimit(_LIMIT_LENGTH, MAX_VALUE_BYTES)
    return db


def open_reader(path: Path, timeout_s: float) -> sqlite3.Connection:
    """Open the file, or create it. Call it inside `alone`.

    Raises:
        UnusableCacheError: it must be renamed.
        OSError, sqlite3.OperationalError: it can't be written.
    """
    make_private(path)
    db = connect(path, timeout_s)
    try:
        retry_while_locked(lambda: prepare(db))
    except BaseException:
        db.close()
        raise
    return db


def connect_writer(path: Path) -> sqlite3.Connection:
    """Open a connection that never blocks on the disk or on another process.

    Without the two settings, a commit fsyncs the log, and every thousandth page copies the log into
    the database: 200,000 completions took 154 seconds instead of 64. The sync thread does both.
    """
    db = connect(path, 0)
    try:
        retry_while_locked(lambda: db.execute("PRAGMA synchronous=NORMAL"))  # reads the schema
        db.execute("PRAGMA wal_autocheckpoint=0").fetchone()
    except BaseException:
        db.close()
        raise
    return db


def damage_of(path: Path, timeout_s: float) -> str | None:
    """Check the whole file; return a description of its damage, or None.

    Raises:
        sqlite3.DatabaseError: it can't be read.
    """
    with closing(connect(path, timeout_s)) as db:
        (report,) = db.execute("PRAGMA quick_check(1)").fetchone()
    return None if report == "ok" else str(report)


def prepare(db: sqlite3.Connection) -> None:
    """Create the tables in a new file, or check that an old file is a cache.

    Raises:
        UnusableCacheError: it isn't a cache that this lve can read.
        sqlite3.OperationalError: it can't be written.
    """
    try:
        # Count the tables first: another process may be creating them right now.
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        application = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if tables and application != APPLICATION_ID:
            raise UnusableCacheError("is not a cache of lve")
        if version > VERSION:
            raise UnusableCacheError(f"was written by a newer lve (format {version})")
        if tables:
            _refuse_foreign_objects(db)
        db.execute("PRAGMA page_size=2048")
        db.execute("PRAGMA journal_mode=WAL").fetchone()
        if not tables:
            db.executescript(_SCHEMA)
        # Read both ends of the table and its index, which fails in a truncated file.
        db.execute("SELECT id FROM completions ORDER BY id DESC LIMIT 1").fetchone()
        db.execute("SELECT id FROM completions WHERE key=x'00'").fetchone()
    except sqlite3.OperationalError as error:
        if db.in_transaction:
            db.execute("ROLLBACK")
        if "decode" in str(error):  # a text of the schema that isn't UTF-8
            raise UnusableCacheError(f"is corrupt ({error})") from error
        raise
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise UnusableCacheError(f"is corrupt ({error})") from error


def _refuse_foreign_objects(db: sqlite3.Connection) -> None:
    """Refuse triggers, views and the like, which could change completions that are stored or looked
    up."""
    for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_master"):
        if (kind, name, sql) not in _OBJECTS:
            raise UnusableCacheError(f"has a {kind} that lve didn't make ({head(repr(name), 40)})")


def retry_while_locked(step: Callable[[], object]) -> None:
    """Call `step`; repeat that while another process has locked the file."""
    deadline = time.monotonic() + OPEN_TIMEOUT_S
    while True:
        try:
            step()
        except sqlite3.OperationalError as error:
            if not is_locked(error) or time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.002, 0.02))
        else:
            return


def checkpoint(path: Path) -> None:
    """Copy the write-ahead log into the database, except for pages that are being read. Never
    waits.

    Raises:
        OSError: it fails.
    """
    try:
        with closing(connect(path, 0)) as db:
            db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    except sqlite3.DatabaseError as error:
        if not is_locked(error):
            raise OSError(str(error)) from error


def fsync(path: Path) -> None:
    """Make the write-ahead log survive power loss."""
    # Only the log may be opened without SQLite: closing the database file would release SQLite's
    # POSIX locks.
    handle = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
