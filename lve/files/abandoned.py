"""Removes what killed processes have left: drafts that never became files or sessions."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path

DRAFT = ".draft-"
"""How names of drafts begin; random letters and digits follow."""
ABANDONED_S = 24 * 3600.0
"""What nobody has written to for so long belongs to no process any more. Whether that process lives
can't be asked where it may run on another machine."""


def remove_abandoned(folder: Path, prefix: str = DRAFT) -> None:
    """Remove old drafts from a folder. What can't be removed stays.

    Args:
        folder: where a process is about to write a draft of its own.
        prefix: how their names begin.
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
    """Return when a draft was last written to; of a folder, also the files right in it."""
    times = [entry.stat(follow_symlinks=False).st_mtime]
    if entry.is_dir(follow_symlinks=False):
        with os.scandir(entry.path) as inner:
            times += [one.stat(follow_symlinks=False).st_mtime for one in inner]
    return max(times)


def _remove(entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        import shutil  # late: every run comes here, and few find a folder; it loads bz2 and lzma

        shutil.rmtree(entry.path, ignore_errors=True)
    else:
        os.unlink(entry.path)  # noqa: PTH108 (a link, never what it leads to)
