"""Settings, sessions and cache of the workspace."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lve.cli.doctor.finding import Finding
from lve.conventions import SETTINGS_FILE
from lve.errors import LveError
from lve.pipeline.loading import choose_workspace
from lve.results.listing import listed_session
from lve.results.session_file import session_ids
from lve.verdicts.wording import amount
from lve.workspace import Workspace, display_path

SETTINGS = "settings"
STORES = "sessions and cache"
LITTLE_BYTES = 1_000_000_000
"""Free space that is worth a note."""
LOOKED_AT = 200
"""Sessions that are counted by status, the latest."""


def workspace_findings() -> tuple[Workspace | None, list[Finding]]:
    """Return the workspace of the current folder, None if it can't be used, and what is to say."""
    try:
        workspace = choose_workspace(())
    except LveError as error:
        problems = str(error).splitlines()
        return None, [Finding(SETTINGS, SETTINGS_FILE, "bad", problem) for problem in problems]
    found = [Finding(SETTINGS, "workspace", "good", str(workspace.root))]
    settings = workspace.settings
    if settings.file is None:
        hint = f"`lve init` makes a workspace with {SETTINGS_FILE}"
        found.append(Finding(SETTINGS, "file", "note", "none: lve's defaults hold", hint))
    else:
        text = f"{display_path(settings.file)} (`lve run --show-config` says what holds, and why)"
        found.append(Finding(SETTINGS, "file", "good", text))
    if not settings.is_own:
        hint = "go to that folder if the settings are yours"
        text = "of another workspace than the current folder's: they open no doors"
        found.append(Finding(SETTINGS, "whose", "note", text, hint))
    return workspace, found


def store_findings(workspace: Workspace) -> Iterator[Finding]:
    """Yield how sessions and cache are."""
    folder = workspace.session_dir
    yield _folder(folder)
    yield from _sessions(folder)
    yield _cache(folder)


def _folder(folder: Path) -> Finding:
    place = folder
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK | os.X_OK):
        hint = "change its permissions, or name another folder with --session-dir"
        return Finding(STORES, "folder", "bad", f"{display_path(folder)} can't be written", hint)
    free = shutil.disk_usage(place).free
    text = f"{display_path(folder)} ({free / 1e9:,.1f} GB free)"
    if free < LITTLE_BYTES:
        hint = "make room, or `lve cache prune --max-size 500MB`"
        return Finding(STORES, "folder", "note", text, hint)
    return Finding(STORES, "folder", "good", text)


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

    from lve.execution.cache.file import CACHE_FILE, UnusableCacheError
    from lve.execution.cache.store import CacheStore

    path = folder / CACHE_FILE
    if not path.exists():
        return Finding(STORES, "cache", "good", "none yet")
    try:
        with closing(CacheStore(path)) as store:
            stats = store.stats()
    except (OSError, sqlite3.DatabaseError, UnusableCacheError) as error:
        hint = f"delete {display_path(path)}: lve makes a new one"
        return Finding(STORES, "cache", "bad", f"{display_path(path)} {error}", hint)
    size = f"{stats.file_bytes / 1e6:,.1f} MB"
    return Finding(STORES, "cache", "good", f"{amount(stats.entries, 'completion')}, {size}")
