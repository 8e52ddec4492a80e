"""Looks completions up in the cache's SQLite file, with few statements.

Two cases are nearly all: a first run, whose cache has nothing but what the run itself has written
(`OwnEntries`), and the same run again, which asks in about the same order (`CacheReader`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

LEAST, MOST = 8, 128
"""Entries that are read together, a quarter of them from before the one that was asked for: answers
that came at the same time were stored in any order."""
MAX_CHARACTERS = 256 * 1024
"""Fewer are read if they would have more characters than that together."""
OWN_BITS = 20

_ONE = "SELECT id, value FROM completions WHERE key=?"
_MANY = (
    "SELECT group_concat(hex(key)), group_concat(value, char(10)) FROM completions"
    " WHERE id>? AND id<=?"
)
"""One row for all: for each row, SQLite's module takes longer than SQLite itself."""


class OwnEntries:
    """Which entries a process has written into a cache that was empty when it was opened.

    Each is a bit, told by a part of its key, so an entry may seem to be there, but none is missed.
    """

    def __init__(self, writer: sqlite3.Connection, version: int) -> None:
        self._writer = writer
        self._version = version
        self._bits = bytearray(1 << (OWN_BITS - 3))

    @classmethod
    def of(cls, reader: sqlite3.Connection, writer: sqlite3.Connection) -> OwnEntries | None:
        """Return what tells the entries of `writer`; None if the cache has some already."""
        version = _version(writer)  # first: what another process writes from now on changes it
        is_empty = reader.execute("SELECT 1 FROM completions LIMIT 1").fetchone() is None
        return cls(writer, version) if is_empty and version is not None else None

    @property
    def are_all(self) -> bool:
        """Whether no other process has written since."""
        return _version(self._writer) == self._version

    def add(self, keys: Iterable[bytes]) -> None:
        """Note entries before they can be read."""
        for key in keys:
            place = int.from_bytes(key[:3], "big")
            self._bits[place >> 7] |= 1 << (place >> 4 & 7)

    def may_have(self, key: str) -> bool:
        """Return whether an entry may be there."""
        place = int(key[:6], 16)
        return bool(self._bits[place >> 7] >> (place >> 4 & 7) & 1)


class CacheReader:
    """Reads values. For one thread."""

    def __init__(self, connection: sqlite3.Connection, own: OwnEntries | None) -> None:
        """Args:
        connection: isn't used to write.
        own: what is in the cache, if nobody else has written into it.
        """
        self.own = own
        self.is_reading = False
        """Whether `value` was called since the last `end`."""
        self._connection = connection
        self._cursor = connection.cursor()
        self._held: dict[str, str] = {}
        """Key -> value of entries that were read together with others."""
        self._latest = 0
        """The id of the entry that was looked up last."""
        self._version: int | None = None
        """Of the file when the held entries were read."""
        self._number = MOST
        """How many entries are read together."""
        self._reads_many = True

    def value(self, key: str) -> str | None:
        """Return the text stored under a key, which is hexadecimal, or None.

        It begins a read transaction, which doesn't see later commits and which the caller must end
        soon (`end`). Without a transaction, each read would lock and unlock the file, which takes
        as long as the read itself.
        """
        if not self.is_reading:
            self._begin()
        if self.own is not None:
            if not self.own.may_have(key):
                return None
        elif (held := self._held.pop(key, None)) is not None:
            return held
        row: tuple[int, str] | None = self._cursor.execute(_ONE, (bytes.fromhex(key),)).fetchone()
        if row is None:
            return None
        distance = row[0] - self._latest
        self._latest = row[0]
        if abs(distance) <= MOST and self._reads_many and self.own is None:
            self._read_many(*row)
        return row[1]

    def _begin(self) -> None:
        if self.own is not None and self.own.are_all:
            self.is_reading = True
            return
        self.own = None
        self._cursor.execute("BEGIN")
        version = _version(self._connection)
        if version is None or version != self._version:
            self._forget()
            self._version = version
        self.is_reading = True

    def _read_many(self, number: int, value: str) -> None:
        """Read the entries around one: one statement for many takes a fraction of the time."""
        if len(self._held) > MOST:  # nobody asked for them
            self._held = {}
        share = min(1.0, MAX_CHARACTERS / self._number / (len(value) or 1))
        before, after = int(self._number * share / 4), int(self._number * share * 3 / 4)
        try:
            place = number - before, number + after
            keys, values = self._cursor.execute(_MANY, place).fetchone()
        except (sqlite3.DatabaseError, OverflowError):  # one of them is damaged or forged
            self._reads_many = False
            return
        if keys is None:  # no others are near
            return
        self._reads_many = keys.count(",") == values.count("\n")  # else one of them is forged
        if self._reads_many:
            self._held.update(zip(keys.lower().split(","), values.split("\n"), strict=True))

    def _forget(self) -> None:
        """Forget what may have changed, and read fewer the next time if most was of no use."""
        is_used = len(self._held) <= self._number // 2
        self._number = min(2 * self._number, MOST) if is_used else max(self._number // 2, LEAST)
        self._held = {}

    def end(self) -> None:
        """End the read transaction, if one is open."""
        if self.is_reading:
            self.is_reading = False
            try:
                if self._connection.in_transaction:  # some errors end it
                    self._cursor.execute("COMMIT")
            except sqlite3.DatabaseError:  # a damaged page, which the next read reports
                self._connection.rollback()


def _version(connection: sqlite3.Connection) -> int | None:
    """Return a number that changes when another connection changes the file; None if it can't be
    read just now."""
    try:
        version: int = connection.execute("PRAGMA data_version").fetchone()[0]
    except sqlite3.OperationalError:  # locked, or the disk
        return None
    return version
