"""What is in the cache's file: counts it, and deletes entries."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from lve.data_classes import dataclass
from lve.execution.cache.sqlite import READ_TIMEOUT_S
from lve.execution.cache.sqlite_file import (
    connect,
    connect_writer,
    files_of,
    is_locked,
    retry_while_locked,
)

LATEST = 32_503_680_000.0
"""Unix time of the year 3000. A later time is forged, and may be beyond any calendar."""


@dataclass(frozen=True, slots=True)
class ModelStats:
    """The content of the cache for one model."""

    model: str
    entries: int
    size_bytes: int
    """Size of the completions."""


@dataclass(frozen=True, slots=True)
class CacheStats:
    """The content of the cache."""

    entries: int
    file_bytes: int
    """Size of the file and its write-ahead log."""
    hits: int
    """Completions served since the cache was made."""
    oldest: float | None
    """Unix time of the first entry."""
    models: tuple[ModelStats, ...]


def stats_of(path: Path) -> CacheStats:
    """Return statistics of a cache that was opened before, and so checked; errors of sqlite3."""
    with closing(connect(path, READ_TIMEOUT_S)) as db:
        return stats_from(path, db)


def stats_from(path: Path, db: sqlite3.Connection) -> CacheStats:
    """Return statistics of an open file. Values of a wrong type, which a forged file may have, are
    ignored."""
    models = db.execute(
        "SELECT iif(typeof(model)='text', model, ''), count(*), sum(length(value))"
        " FROM completions GROUP BY 1 ORDER BY 1"
    ).fetchall()
    oldest = db.execute(
        "SELECT min(created) FROM completions"
        " WHERE typeof(created)='real' AND created BETWEEN 0 AND ?",
        (LATEST,),
    ).fetchone()[0]
    hits = db.execute(
        "SELECT value FROM counters WHERE name='hits' AND typeof(value)='integer'"
    ).fetchone()
    return CacheStats(
        entries=sum(row[1] for row in models),
        file_bytes=sum(p.stat().st_size for p in files_of(path) if p.exists()),
        hits=hits[0] if hits else 0,
        oldest=oldest,
        models=tuple(ModelStats(*row) for row in models),
    )


def prune(
    path: Path,
    *,
    older_than_s: float | None = None,
    max_bytes: int | None = None,
    model: str | None = None,
) -> int:
    """Delete entries; without arguments all of them.

    Args:
        path: the cache's file.
        older_than_s: only entries older than this.
        max_bytes: also the oldest entries, until the rest fits.
        model: only entries of this model.

    Returns:
        The number of deleted entries.
    """
    with closing(connect_writer(path)) as db:
        conditions: list[tuple[str, tuple[object, ...]]] = []
        if older_than_s is not None:
            conditions.append(("created < ?", (time.time() - older_than_s,)))
        if model is not None:
            conditions.append(("model = ?", (model,)))
        deleted = 0
        if conditions or max_bytes is None:
            where = " AND ".join(text for text, _ in conditions) or "1"
            values = tuple(
                value for _, condition_values in conditions for value in condition_values
            )
            deleted = _delete(db, where, values)
        if max_bytes is not None:
            deleted += _delete(
                db,
                "id <= (SELECT max(id) FROM (SELECT id, sum(length(value)) OVER"
                " (ORDER BY id DESC) AS total FROM completions) WHERE total > ?)",
                (max_bytes,),
            )
        _shrink(db)
        return deleted


def _delete(db: sqlite3.Connection, where: str, values: tuple[object, ...]) -> int:
    statement = f"DELETE FROM completions WHERE {where}"
    deleted: list[int] = []
    retry_while_locked(lambda: deleted.append(db.execute(statement, values).rowcount))
    return deleted[0]


def _shrink(db: sqlite3.Connection) -> None:
    try:
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.OperationalError as error:
        if not is_locked(error):  # if it is in use, the space is reused later
            raise
