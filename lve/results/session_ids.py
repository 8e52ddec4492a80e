"""Ids of sessions, which are also the names of their folders."""

from __future__ import annotations

import os
import secrets
from datetime import datetime
from pathlib import Path

from lve.errors import SessionError
from lve.files.inside import RefusedFileError
from lve.files.private import check_private_folder, make_private_folder
from lve.workspace import display_path

RUNS_FOLDER = "runs"
INFO_FILE = "session.json"
_RANDOM_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # without those that look alike


def new_id(started: datetime) -> str:
    """Return a new, unique session id."""
    letters = "".join(secrets.choice(_RANDOM_LETTERS) for _ in range(4))
    return f"{started:%Y%m%d-%H%M%S}-{started.microsecond // 1000:03d}-{letters}"


def make_unique_folder(runs: Path, started: datetime) -> Path:
    """Make the folder of a new session and return it.

    Raises:
        OSError: it can't be made.
    """
    while True:
        name = new_id(started)
        try:
            make_private_folder(runs / name, exist_ok=False)
        except FileExistsError:
            continue
        return runs / name


def session_ids(session_dir: Path) -> list[str]:
    """Return the ids of all sessions, the oldest first.

    Raises:
        SessionError: their folder is a link or another user's.
    """
    runs = session_dir / RUNS_FOLDER
    try:
        check_private_folder(runs)
        with os.scandir(runs) as entries:
            found = sorted(e.name for e in entries if e.is_dir(follow_symlinks=False))
    except RefusedFileError as error:
        raise SessionError(
            f"{display_path(runs)} can't be used: it is {error.strerror}; delete it, or give "
            "another place with --session-dir"
        ) from error
    except OSError:
        return []
    return [name for name in found if os.path.lexists(runs / name / INFO_FILE)]
