"""The cache as a SQLite file: made, checked, moved aside, synced."""

from __future__ import annotations

import os
import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from lve.files.private import check_private_file, open_private

CACHE_FILE = "cache.db"
"""Its name in `workspace.state`."""
APPLICATION_ID = 0x6C766543  # "lveC"
VERSION = 1
OPEN_TIMEOUT_S = 20.0
MAX_VALUE_BYTES = 256_000_000
"""Of one completion."""
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
"""All that a cache has, as SQLite tells it."""
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
    """The file is there and can't be used: corrupt, foreign, or of a newer lve."""


def move_aside(path: Path) -> Path:
    """Rename a cache file and its companions, and return the new name of the file."""
    stamp = f"{time.strftime('%Y%m%d-%H%M%S')}-{random.randrange(16**4):04x}"
    target = path.with_name(f"{path.name}.unusable-{stamp}")
    for old, new in zip(files_of(path), files_of(target), strict=True):
        if old.exists():
            old.rename(new)
    return target


def file_id(path: Path) -> int | None:
    """Return what tells this file from another that gets its name later; None without a file."""
    try:
        return path.stat().st_ino
    except OSError:
        return None


def files_of(path: Path) -> tuple[Path, Path, Path]:
    """Return the database, its write-ahead log and its shared index."""
    return path, Path(f"{path}-wal"), Path(f"{path}-shm")


def is_locked(error: sqlite3.Error) -> bool:
    """Whether another process is at it: worth another try."""
    return "locked" in str(error) or "busy" in str(error)


def make_private(path: Path) -> None:
    """Make a database for its user alone, if there is none, or make sure that it is one's own. Its
    companions get its mode.

    Raises:
        OSError: it can't be made; (RefusedFileError) one of the files is a link, no regular file,
            or another user's.
    """
    with suppress(FileExistsError):
        os.close(open_private(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    for file in files_of(path):
        check_private_file(file)


def connect(path: Path, timeout_s: float) -> sqlite3.Connection:
    """Open a connection that commits every statement by itself and may change threads. What the
    file says of itself is not believed."""
    db = sqlite3.connect(path, timeout=timeout_s, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA trusted_schema=OFF")
    db.execute("PRAGMA cell_size_check=ON")
    if hasattr(db, "setlimit"):  # since Python 3.11
        db.setlimit(_LIMIT_LENGTH, MAX_VALUE_BYTES)
    return db


def connect_writer(path: Path) -> sqlite3.Connection:
    """Open a connection that never makes the event loop wait for the disk or for another process.

    Without these two a commit fsyncs the log, and every thousandth page copies the log into the
    database: 200,000 completions took 154 seconds instead of 64. The sync thread does both.
    """
    db = connect(path, 0)
    db.execute("PRAGMA synchronous=NORMAL")
    db.execute("PRAGMA wal_autocheckpoint=0").fetchone()
    return db


def prepare(db: sqlite3.Connection) -> None:
    """Make a new file a cache, or check that an old one is.

    Raises:
        UnusableCacheError: it isn't, or not one that this lve can read.
        sqlite3.OperationalError: it can't be written here.
    """
    try:
        # The tables first: another process may be making them, and the rest with them.
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
        # Touch both ends of the table and its index: a truncated file shows here.
        db.execute("SELECT id FROM completions ORDER BY id DESC LIMIT 1").fetchone()
        db.execute("SELECT id FROM completions WHERE key=x'00'").fetchone()
    except sqlite3.OperationalError:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise UnusableCacheError(f"is corrupt ({error})") from error


def _refuse_foreign_objects(db: sqlite3.Connection) -> None:
    """Refuse a trigger, a view in a table's place and the like: they would run, or be believed,
    whenever a completion is stored or looked up."""
    for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_master"):
        if (kind, name, sql) not in _OBJECTS:
            raise UnusableCacheError(f"has a {kind} that lve didn't make ({name!r:.40})")


def retry_while_locked(step: Callable[[], object]) -> None:
    """Call `step` again while another process is at the file."""
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
    """Copy the log into the database, as far as nobody is reading it (never waits for anybody).

    Raises:
        OSError: it can't be done.
    """
    try:
        with closing(connect(path, 0)) as db:
            db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    except sqlite3.DatabaseError as error:
        if not is_locked(error):
            raise OSError(str(error)) from error


def fsync(path: Path) -> None:
    """Make the write-ahead log survive power loss."""
    # Opening the log apart from SQLite is safe; opening the database would not be: closing it
    # would drop SQLite's POSIX locks.
    handle = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
