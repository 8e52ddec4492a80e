"""Sessions and cache of the workspace."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lve.cli.doctor.finding import Finding
from lve.errors import LveError
from lve.files.inside import is_missing, reason_of
from lve.results.listing import listed_session
from lve.results.session_file import session_ids
from lve.verdicts.wording import amount
from lve.workspace import display_path

STORES = "sessions and cache"
LITTLE_BYTES = 1_000_000_000
"""Free space that is worth a note."""
READ_THROUGH_BYTES = 500_000_000
"""A larger cache isn't read from its beginning to its end."""
LOOKED_AT = 200
"""Sessions that are counted by status, the latest."""


def store_findings(folder: Path) -> Iterator[Finding]:
    """Yield how sessions and cache in a folder are."""
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
        hint = "make room, or `lve cache prune --max-size 500MB`"
        return Finding(STORES, "folder", "note", text, hint)
    return Finding(STORES, "folder", "good", text)


def _nearest(folder: Path) -> tuple[Path, str]:
    """Return as much of a path as exists, and why the system refuses the rest, if it does."""
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
    counted = Counter(one.status for one in latest)
    said = ", ".join(f"{count} {status}" for status, count in counted.most_common())
    yield Finding(STORES, "sessions", "good", f"{len(names):,}" + (f" ({said})" if said else ""))
    for one in latest:
        if one.problem is not None:
            hint = f"delete {display_path(folder / 'runs' / one.id)} if nobody needs it"
            yield Finding(STORES, one.id, "note", one.problem, hint)


def _cache(folder: Path) -> Finding:
    import sqlite3
    from contextlib import closing

    from lve.execution.cache.file import CACHE_FILE, UnusableCacheError, damage_of
    from lve.execution.cache.store import READ_TIMEOUT_S, CacheStore

    path = folder / CACHE_FILE
    if not os.path.exists(path):  # noqa: PTH110 (as above)
        return Finding(STORES, "cache", "good", "none yet")
    try:
        with closing(CacheStore(path)) as store:
            stats = store.stats()
        is_small = stats.file_bytes <= READ_THROUGH_BYTES
        damage = damage_of(path, READ_TIMEOUT_S) if is_small else None
    except (OSError, sqlite3.DatabaseError, UnusableCacheError) as error:
        hint = f"delete {display_path(path)}: lve makes a new one"
        why = f"can't be used: {reason_of(error)}" if isinstance(error, OSError) else error
        return Finding(STORES, "cache", "bad", f"{display_path(path)} {why}", hint)
    if damage is not None:
        hint = "completions that can't be read are asked for again; `lve cache clear` makes it new"
        return Finding(STORES, "cache", "bad", f"{display_path(path)} is damaged: {damage}", hint)
    size = f"{stats.file_bytes / 1e6:,.1f} MB"
    return Finding(STORES, "cache", "good", f"{amount(stats.entries, 'completion')}, {size}")
