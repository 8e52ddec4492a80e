"""Reads the commit of a checkout from git's own files.

git itself is never started: `git status` runs programs that a repository's configuration names, as
filters of files or as a monitor of the file system, and what looks like a repository may have come
with somebody's folder. For the same reason nothing is said of changed files, which only git can
find: the sums of `hashes_of` tell more precisely what ran.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from lve.files.git import git_folder, git_line, shared_folder
from lve.files.inside import read_regular

MAX_PACKED_BYTES = 64_000_000
"""Size of `packed-refs`: half a million branches and tags."""
MAX_HOPS = 5
"""References that are followed one after another, as git does."""

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REFERENCE = re.compile(r"ref: *(refs/\S+)")


def checkout_of(root: Path) -> dict[str, Any] | None:
    """Return `{"commit": ...}` of the checkout that contains a folder. None outside of a checkout,
    before the first commit, and if its files can't be read."""
    try:
        folder = _git_folder(root)
        commit = None if folder is None else _commit_at_head(folder)
    except (OSError, ValueError):
        return None
    return None if commit is None else {"commit": commit}


def _git_folder(root: Path) -> Path | None:
    """Return the folder with the HEAD of the checkout that contains a folder."""
    start = root.absolute()
    for candidate in (start, *start.parents):
        if os.path.lexists(candidate / ".git"):
            return git_folder(candidate)
    return None


def _commit_at_head(folder: Path) -> str | None:
    line = git_line(folder / "HEAD")
    for _ in range(MAX_HOPS):
        if _COMMIT.fullmatch(line):
            return line
        reference = _REFERENCE.fullmatch(line)
        if reference is None or ".." in reference[1]:
            return None
        line = _resolve(folder, reference[1])
    return None


def _resolve(folder: Path, reference: str) -> str:
    """Return the commit of a reference; an empty text if there is no commit yet."""
    shared = shared_folder(folder)
    for place in (folder, shared):
        try:
            return git_line(place / reference)
        except OSError:
            continue
    try:
        packed = read_regular(shared / "packed-refs", MAX_PACKED_BYTES)
    except FileNotFoundError:
        return ""
    end = packed.find(b" " + os.fsencode(reference) + b"\n")
    return packed[packed.rfind(b"\n", 0, end) + 1 : end].decode("ascii") if end > 0 else ""
