"""Checks the sessions and the cache of the workspace, and the team's store, for `lve doctor`."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
from lve.extensions.doctor.machine import Finding
from lve.files.inside import is_missing, reason_of
from lve.plurals import amount
from lve.sessions.listing import listed_session
from lve.sessions.session_file import session_ids
from lve.sessions.storage import storage_of
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


STORE = "team's store"


def team_store_findings(setting: str | None, *, offline: bool) -> Iterator[Finding]:
    """Yield findings about the store; none if there is no store.

    Args:
        setting: the value of `cache` in the settings.
        offline: whether to send nothing to the server.
    """
    store: Any = storage_of(setting)
    if not store.is_shared:
        return
    try:
        yield Finding(STORE, "place", "good", store.place)
        if not offline:
            yield from _server_findings(store.state())
    except LveError as error:
        yield Finding(STORE, "server", "bad", str(error), "`lve run --no-cache` does without it")


def _server_findings(state: Any) -> Iterator[Finding]:
    if state.is_newer:
        hint = "update lve here; until then --no-cache does without"
        yield Finding(STORE, "tables", "bad", f"of a newer lve (version {state.version})", hint)
    elif state.version is None:
        yield Finding(STORE, "tables", "good", "none yet: the first run makes them")
    else:
        more = " or more" if state.has_more else ""
        text = f"version {state.version}, {amount(state.completions, 'completion')}{more}"
        yield Finding(STORE, "tables", "good", text)
    if not state.may_write:
        hint = "ask for GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public"
        yield Finding(STORE, "rights", "bad", "the user may not read and write the tables", hint)
    if state.is_superuser:
        hint = "make a user for lve that has no other rights"
        text = "the user is a superuser: whoever owns the tables can run SQL with its rights"
        yield Finding(STORE, "user", "note", text, hint)
    yield _encryption(
        is_encrypted=state.is_encrypted, is_verified=state.is_verified, is_local=state.is_local
    )


def _encryption(*, is_encrypted: bool, is_verified: bool, is_local: bool) -> Finding:
    if is_encrypted and (is_verified or is_local):
        return Finding(STORE, "TLS", "good", "encrypted")
    if is_local:
        return Finding(STORE, "TLS", "good", "none; the server is on this machine")
    hint = "add ?sslmode=verify-full&sslrootcert=system to the URL, or your own certificate's file"
    if is_encrypted:
        text = "encrypted, but the server's certificate isn't verified"
        return Finding(STORE, "TLS", "note", text, hint)
    text = "none: an attacker on the network can read and change answers, maybe also the password"
    return Finding(STORE, "TLS", "note", text, hint)
