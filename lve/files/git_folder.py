"""Where git keeps what it knows of a checkout. git itself is never started: it runs programs that a
repository's configuration names, and what looks like a repository may have come with somebody's
folder."""

from __future__ import annotations

import os
from pathlib import Path

from lve.files.inside import read_regular

MAX_LINE_BYTES = 4096
"""Of a file that has one line: HEAD, a reference, the path of a folder."""


def git_folder(checkout: Path) -> Path | None:
    """Return the folder that `.git` is or, in work trees and submodules, names; None where there is
    no `.git`, or it names none.

    Raises:
        OSError: it can't be read.
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
    """Return the folder that all work trees of a repository share: its own, mostly.

    Raises:
        OSError: the file that names it can't be read.
    """
    try:
        return folder / git_line(folder / "commondir")
    except FileNotFoundError:
        return folder


def git_line(file: Path) -> str:
    """Return what a file of one line says.

    Raises:
        OSError: it can't be read, or has much more.
    """
    return os.fsdecode(read_regular(file, MAX_LINE_BYTES)).strip()
