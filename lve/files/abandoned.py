"""Removes drafts of killed processes: files and folders that were never renamed to their place."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path

from lve.sandbox.removal import remove_tree

DRAFT = ".draft-"
"""Prefix of the names of drafts; random letters and digits follow."""
ABANDONED_S = 24 * 3600.0
"""A draft that wasn't written to for this long is abandoned. Checking whether its process is alive
isn't possible: it may run on another machine."""


def remove_abandoned(folder: Path, prefix: str = DRAFT) -> None:
    """Remove abandoned drafts from a folder. Errors are ignored.

    Args:
        folder: the folder.
        prefix: the prefix of the drafts' names.
    """
    is_draft = re.compile(rf"{re.escape(prefix)}[0-9a-z_-]+").fullmatch
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not is_draft(entry.name):
                continue
            with suppress(OSError):
                if time.time() - _last_written(entry) > ABANDONED_S:
                    _remove(entry)


def _last_written(entry: os.DirEntry[str]) -> float:
    """Return when a draft was last written to. For a folder, that includes the files in it."""
    times = [entry.stat(follow_symlinks=False).st_mtime]
    if entry.is_dir(follow_symlinks=False):
        with os.scandir(entry.path) as inner:
            times += [child.stat(follow_symlinks=False).st_mtime for child in inner]
    return max(times)


def _remove(entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        remove_tree(entry.path)
    else:
        os.unlink(entry.path)  # noqa: PTH108 (a link, never what it leads to)
