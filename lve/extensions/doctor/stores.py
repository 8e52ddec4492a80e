"""Checks the sessions and the cache of the workspace for `lve doctor`."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lve.errors import LveError
from lve.execution.cache.locks import NO_LOCKS
from lve.execution.cache.sqlite import READ_TIMEOUT_S, CacheStore
from lve.execution.cache.sqlite_file import (
    CACHE_FILE,
    UnusableCacheError,
    connect,
    damage_of,
    files_of,
)
from lve.extensions.doctor.finding import Finding
from lve.files.inside import is_missing, reason_of
from lve.sessions.listing import listed_session
from lve.sessions.session_file import session_ids
from lve.verdicts.wording import amount
from lve.workspace import display_path

STORES = "sessions and cache"
LITTLE_BYTES = 1_000_000_000
"""Less free space is worth a note."""
READ_THROUGH_BYTES = 500_000_000
"""A larger cache isn't searched for damage, which reads the whole file."""
LOOKED_AT = 200
"""The number of latest sessions that are counted by status."""


def store_findings(folder: Path) -> Iterator[Finding]:
    """Yield findings about a folder with sessions and cache."""
    yield _folder(folder)
    yield from _sessions(folder)
    yield _cache(folder)


def _folder(folder: Path) -> Finding:
    place, refusal = _nearest(folder)
    if refusal or not (place.is_dir() and os.access(place, os.W_OK | os.X_OK)):
        hint = "change its permissions, or name another folder with --session-dir"
        why = f": {refusal}" if refusal else ""
        return Finding(
            STORES, "folder", "bad", f"{display_path(folder)} can't be written{why}", hint
        )
    free = shutil.disk_usage(place).free
    text = f"{display_path(folder)} ({free / 1e9:,.1f} GB free)"
    if free < LITTLE_BYTES:
        hint = "make room, or `lve session cache prune --max-size 500MB`"
        return Finding(STORES, "folder", "note", text, hint)
    return Finding(STORES, "folder", "good", text)


def _nearest(folder: Path) -> tuple[Path, str]:
    """Return the longest existing part of a path, and why the rest can't be reached, if that isn't
    because it is missing."""
    refusal = ""
    while True:
        try:
            folder.stat()
        except OSError as error:
            refusal = refusal if is_missing(error) else reason_of(error)
            folder = folder.parent
        else:
            return folder, refusal


def _sessions(folder: Path) -> Iterator[Finding]:
    try:
        names = session_ids(folder)
    except LveError as error:
        yield Finding(STORES, "sessions", "bad", str(error))
        return
    latest = [listed_session(folder, name) for name in names[-LOOKED_AT:]]
    counted = Counter(session.status for session in latest)
    counts = ", ".join(f"{count} {status}" for status, count in counted.most_common())
    text = f"{len(names):,}" + (f" ({counts})" if counts else "")
    yield Finding(STORES, "sessions", "good", text)
    for session in latest:
        if session.problem is not None:
            hint = f"delete {display_path(folder / 'runs' / session.id)} if nobody needs it"
            yield Finding(STORES, session.id, "note", session.problem, hint)


def _cache(folder: Path) -> Finding:
    import sqlite3
    from contextlib import closing

    path = folder / CACHE_FILE
    if not os.path.exists(path):  # noqa: PTH110 (as above)
        return Finding(STORES, "cache", "good", "none yet")
    try:
        with closing(CacheStore(path)), closing(connect(path, READ_TIMEOUT_S)) as db:
            size = sum(file.stat().st_size for file in files_of(path) if file.exists())
            is_small = size <= READ_THROUGH_BYTES
            damage = damage_of(path, READ_TIMEOUT_S) if is_small else None
            if damage is None:
                (entries,) = db.execute("SELECT count(*) FROM completions").fetchone()
    except (OSError, sqlite3.DatabaseError, UnusableCacheError) as error:
        is_file = not isinstance(error, OSError) or error.strerror != NO_LOCKS
        hint = f"delete {display_path(path)}: lve makes a new one" if is_file else None
        why = f"can't be used: {reason_of(error)}" if isinstance(error, OSError) else error
        return Finding(STORES, "cache", "bad", f"{display_path(path)} {why}", hint)
    if damage is not None:
        hint = "what can't be read is asked for again; `lve session cache clear` empties it"
        return Finding(STORES, "cache", "bad", f"{display_path(path)} is damaged: {damage}", hint)
    text = f"{amount(entries, 'completion')}, {size / 1e6:,.1f} MB"
    return Finding(STORES, "cache", "good", text)
