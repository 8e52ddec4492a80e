"""Reads, replaces and locks the files of sessions, and names the folders of sessions."""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from lve.documents.json_text import decode_written
from lve.documents.validation.schema import explain_value, is_valid
from lve.errors import SessionError
from lve.files import atomic_file
from lve.files.inside import WHOLE_BYTES, FileTooLargeError, RefusedFileError
from lve.files.owner_only import (
    FILE_MODE,
    check_private_folder,
    make_private_folder,
    open_private,
    read_private,
)
from lve.json_types import JsonValue
from lve.sessions.session_info import SessionInfo
from lve.workspace import display_path, make_session_dir

VERSION = 1
SHOWN_PROBLEMS = 3
RUNS_FOLDER = "runs"
INFO_FILE = "session.json"
_RANDOM_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # Without letters that look like digits.


def seconds_of(info: SessionInfo) -> float | None:
    """Return the duration of a session in seconds, including pauses before it was resumed; None if
    its file has no valid times."""
    try:
        began, ended = (datetime.fromisoformat(str(info[key])) for key in ("started", "ended"))
        return max(0.0, (ended - began).total_seconds())
    except (ValueError, TypeError, KeyError):
        return None


def read_session_file(file: Path) -> SessionInfo:
    """Return the content of a `session.json`, checked against schemas/session.schema.json.

    Raises:
        SessionError: it can't be read, is from a newer lve, or is damaged.
    """
    try:
        return info_in(file, read_private(file, WHOLE_BYTES))
    except OSError as error:
        raise cannot_read(file, error) from error


def session_lines(file: Path) -> Iterator[bytes]:
    """Yield the lines of a `session.json`.

    Raises:
        SessionError: it can't be read.
    """
    try:
        with os.fdopen(open_private(file, os.O_RDONLY), "rb") as stream:
            if os.fstat(stream.fileno()).st_size > WHOLE_BYTES:
                raise FileTooLargeError(WHOLE_BYTES, file)
            yield from stream
    except OSError as error:
        raise cannot_read(file, error) from error


def info_in(file: Path, text: bytes) -> SessionInfo:
    """Return the content of a `session.json`, checked against schemas/session.schema.json.

    Raises:
        SessionError: it is from a newer lve, or is damaged.
    """
    try:
        # NaN is refused, too: comparisons with it, such as of the cost with the budget, go wrong.
        content = decode_written(text.decode("utf-8"))
    except ValueError as error:
        raise SessionError(f"{file} can't be read: {error}", code="session_unreadable") from error
    version = content.get("version") if isinstance(content, dict) else None
    if version != VERSION:
        raise SessionError(
            f"{file} has format {version!r} and this lve reads {VERSION}: use the lve that wrote "
            "it",
            code="other_version",
        )
    _refuse_damaged(file, content)
    info: SessionInfo = content
    return info


def _refuse_damaged(file: Path, content: JsonValue) -> None:
    if is_valid(content, "session"):
        return
    problems = explain_value(content, "session")
    if problems:
        shown = "; ".join(problems[:SHOWN_PROBLEMS])
        more = len(problems) - SHOWN_PROBLEMS
        raise SessionError(
            f"{file} was damaged: {shown}{f'; and {more} more' if more > 0 else ''}. "
            "Correct it there, or start a new session",
            code="session_damaged",
        )


def replace_result_file(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Replace a file durably, readable by its owner only. If that fails, the old one is unchanged.

    Raises:
        SessionError: it can't be written.
    """
    try:
        atomic_file.replace_file(path, content, mode=FILE_MODE)
    except OSError as error:
        raise cannot_write(path, error) from error


def new_id(started: datetime) -> str:
    """Return a new session id, which is also the name of the session's folder."""
    letters = "".join(random.SystemRandom().choices(_RANDOM_LETTERS, k=4))
    return f"{started:%Y%m%d-%H%M%S}-{started.microsecond // 1000:03d}-{letters}"


def make_runs_folder(session_dir: Path) -> Path:
    """Create the folder of all sessions, if it doesn't exist, and return it.

    Raises:
        SessionError: it can't be created.
    """
    runs = session_dir / RUNS_FOLDER
    try:
        make_session_dir(session_dir)
        make_private_folder(runs)
        if not os.access(runs, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise cannot_create(runs, error) from error
    return runs


def session_ids(session_dir: Path) -> list[str]:
    """Return the ids of all sessions, the oldest first.

    Raises:
        SessionError: their folder is a link or another user's.
    """
    runs = session_dir / RUNS_FOLDER
    try:
        check_private_folder(runs)
        with os.scandir(runs) as entries:
            names = sorted(e.name for e in entries if e.is_dir(follow_symlinks=False))
    except RefusedFileError as error:
        raise SessionError(
            f"{display_path(runs)} can't be used: it is {error.strerror}; delete it, or give "
            "another place with --session-dir",
            code="session_unwritable",
        ) from error
    except OSError:
        return []
    return [name for name in names if os.path.lexists(runs / name / INFO_FILE)]


def is_being_written(path: Path) -> bool:
    """Whether a process has a journal open for writing. False if that can't be found out."""
    try:
        with os.fdopen(open_private(path, os.O_RDONLY), "rb") as file:
            lock_file(file.fileno(), path)
    except (OSError, SessionError) as error:
        return isinstance(error, SessionError)
    return False


def lock_file(handle: int, path: Path) -> None:
    """Lock a journal against other processes. The lock ends with the process.

    Raises:
        SessionError: another process has locked it.
    """
    try:
        import fcntl
    except ImportError:  # Windows has no lock: a running session can be resumed there.
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SessionError(
            f"session {path.parent.name} is being run by another process; wait until it ends",
            code="busy",
        ) from None
    except OSError:  # a file system without locks
        return


class DamagedLines:
    """Counts the damaged lines of a file."""

    def __init__(self) -> None:
        self.count = 0
        self._first = 0

    def add(self, number: int) -> None:
        """Count a line by its number, from 1."""
        self._first = self._first or number
        self.count += 1

    def place(self, path: Path) -> str:
        """Return the file with the number of its first damaged line."""
        return f"{path}:{self._first}"

    def __str__(self) -> str:
        if self.count == 1:
            return "1 damaged line is"
        return f"{self.count:,} damaged lines, of which this is the first, are"


def cannot_read(path: Path, error: OSError) -> SessionError:
    """Return the error for a file that can't be read."""
    return SessionError(f"{path} can't be read: {error.strerror}", code="session_unreadable")


def cannot_create(folder: Path, error: OSError) -> SessionError:
    """Return the error for a folder in which no session can be created."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return SessionError(
        f"{folder} can't be written: {error.strerror}. Give another place with --session-dir "
        f"(pytest: --lve-session-dir){', or free the disk' if full else ''}",
        code="session_unwritable",
    )


def cannot_write(path: Path, error: OSError) -> SessionError:
    """Return the error for a file that can't be written."""
    return SessionError(f"{path} can't be written: {error.strerror}", code="session_unwritable")
