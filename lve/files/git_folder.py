"""Finds git's folder of a checkout and reads its small files.

git itself is never started: it runs programs that a repository's configuration names, and somebody
may have contributed a folder that looks like a repository.
"""

from __future__ import annotations

import os
from pathlib import Path

from lve.files.inside import read_regular

MAX_LINE_BYTES = 4096
"""Largest file of one line: HEAD, a reference, the path of a folder."""


def git_folder(checkout: Path) -> Path | None:
    """Return the folder of a checkout's repository; None if it has none.

    That is `.git`, or the folder that the file `.git` names in work trees and submodules.

    Raises:
        OSError: the file can't be read.
    """
    found = checkout / ".git"
    if found.is_dir():
        return found
    if not found.is_file():
        return None
    line = git_line(found)
    named = line.removeprefix("gitdir:").strip()
    return None if named == line or "\0" in named else checkout / named


def shared_folder(folder: Path) -> Path:
    """Return the folder that all work trees of a repository share: usually `folder` itself.

    Raises:
        OSError: the file that names another folder can't be read.
    """
    try:
        return folder / git_line(folder / "commondir")
    except FileNotFoundError:
        return folder


def git_line(file: Path) -> str:
    """Return the text of a file with one line.

    Raises:
        OSError: it can't be read, or is longer than `MAX_LINE_BYTES`.
    """
    return os.fsdecode(read_regular(file, MAX_LINE_BYTES)).strip()
