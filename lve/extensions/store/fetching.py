"""Downloads sessions of other machines from the team's store."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lve.documents.json_text import decode_written
from lve.documents.schema import is_valid
from lve.errors import LveError, NoSessionError, SessionError
from lve.extensions.store.server import StoreServer
from lve.extensions.store.sessions import FILES, SessionStore
from lve.files.owner_only import make_private_folder, open_private
from lve.sandbox.removal import remove_tree
from lve.sessions.session_file import INFO_FILE, cannot_write, read_session_file, session_ids
from lve.sessions.storage import RemoteSession
from lve.workspace import make_session_dir

FETCHED_FOLDER = "fetched"
"""Folder beside `runs` for downloaded sessions."""
_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9]{3}-[0-9a-z]{4,16}")
_BEGINNING = re.compile(r"[0-9a-z-]{4,40}")
_DOING = "Sessions of this machine can be read all the same"


def fetched_session(url: str, session_dir: Path, name: str) -> Path | None:
    """Download a session of another machine and return its folder.

    Args:
        url: of the store.
        session_dir: `workspace.session_dir`.
        name: id of the session, or the beginning of exactly one id.

    Returns:
        None if the store has no such session.

    Raises:
        NoSessionError: several sessions match.
        SessionError: the store can't be used, or the session in it is damaged.
    """
    if not _BEGINNING.fullmatch(name):
        return None
    with _store(url) as store:
        ids = [id_ for id_ in store.ids(name) if _ID.fullmatch(str(id_))]
        if name in ids:
            ids = [name]
        if len(ids) > 1:
            examples = ", ".join(ids[:5])
            raise NoSessionError(
                f"{len(ids)} or more sessions of the store begin with {name!r}: {examples}; say "
                "more of it"
            )
        return _fetched(store, session_dir, ids[0]) if ids else None


def stored_sessions(url: str, limit: int, session_dir: Path) -> list[RemoteSession]:
    """Return the sessions of other machines, the latest first.

    Args:
        url: of the store.
        limit: number of sessions to return.
        session_dir: of this machine; sessions in it are left out.

    Raises:
        SessionError: the store can't be used.
    """
    here = set(session_ids(session_dir))
    with _store(url) as store:
        listed = store.listed(limit + min(len(here), limit))
    others = [
        session for session in listed if _ID.fullmatch(str(session.id)) and session.id not in here
    ]
    return [
        RemoteSession(session.id, str(session.machine), session.idle_s, _content(session.info))
        for session in others[:limit]
    ]


def _fetched(store: SessionStore, session_dir: Path, name: str) -> Path:
    """Download the files of a session into a new folder, which replaces an older one."""
    place = session_dir / FETCHED_FOLDER / name
    draft = place.with_name(f".{name}-{os.getpid()}")
    try:
        make_session_dir(session_dir)
        make_private_folder(place.parent)
        remove_tree(draft)
        make_private_folder(draft, exist_ok=False)
        try:
            for file in FILES:
                _write(draft / file, store.pieces(name, file))
            _check(draft / INFO_FILE, name)
            remove_tree(place)
            draft.rename(place)
        finally:
            remove_tree(draft)
    except OSError as error:
        raise cannot_write(place, error) from error
    return place


def _write(file: Path, pieces: Iterator[bytes]) -> None:
    handle = open_private(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(handle, "wb") as opened:
        for piece in pieces:
            opened.write(piece)


def _check(info_file: Path, name: str) -> None:
    """Raise SessionError if `session.json` can't be read or has the id of another session."""
    try:
        id_ = read_session_file(info_file)["session"]
    except SessionError as error:
        why = str(error).replace(str(info_file), INFO_FILE)
        raise SessionError(f"session {name} in the store: {why}", code=error.code) from None
    if id_ != name:
        raise SessionError(
            f"session {name} is damaged in the store: its {INFO_FILE} is that of another one",
            code="store",
        )


def _content(info: bytes) -> Any:
    try:
        content = decode_written(info.decode("utf-8"))
    except (ValueError, AttributeError, RecursionError):
        return None
    return content if is_valid(content, "session") else None


@contextmanager
def _store(url: str) -> Iterator[SessionStore]:
    """Open the store; errors of the database in the block become SessionErrors."""
    server = StoreServer(url)
    try:
        yield SessionStore(server)
    except LveError:
        raise
    except OSError:
        raise
    except Exception as error:
        raise server.refusal(error, _DOING) from None
    finally:
        server.disconnect()
