"""A team's store: sessions and completions of several machines in one PostgreSQL server; downloads
sessions of other machines."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lve.cli.printing import View
from lve.documents.json_text import decode_written
from lve.documents.validation.schema import is_valid
from lve.errors import LveError, NoSessionError, SessionError, UsageError
from lve.execution.stop import StopSignal
from lve.extensions.store.address import check_url, place_of, store_url
from lve.extensions.store.postgres import PostgresStore
from lve.extensions.store.publishing import Publishing, publish
from lve.extensions.store.server import StoreServer
from lve.extensions.store.sessions import FILES, SessionStore
from lve.extensions.store.shared import SharedCache
from lve.extensions.store.state import StoreState, state_of
from lve.files.owner_only import make_private_folder, open_private
from lve.sandbox.removal import remove_tree
from lve.sessions.session_file import INFO_FILE, cannot_write, read_session_file, session_ids
from lve.sessions.storage import RemoteSession, Storage
from lve.workspace import make_session_dir


class TeamStore(Storage):
    """Keeps sessions and completions on this machine and in a team's store."""

    is_shared = True

    def __init__(self, setting: str | None) -> None:
        """Args:
        setting: as for `store_url`, which must find a URL.
        """
        self._url = store_url(setting) or ""

    @property
    def place(self) -> str:
        """`HOST/DATABASE` for messages.

        Raises:
            UsageError: as `check`.
        """
        return place_of(self._url)

    def check(self) -> None:
        """See `Storage.check`."""
        check_url(self._url)

    def open_cache(
        self, folder: Path, *, stop_signal: StopSignal, warn: Callable[[str], None]
    ) -> SharedCache:
        """See `Storage.open_cache`."""
        return SharedCache(
            PostgresStore(StoreServer(self._url)), warn=warn, stop_signal=stop_signal
        )

    def begin_upload(self, folder: Path, *, warn: Callable[[str], None]) -> Publishing:
        """See `Storage.begin_upload`."""
        return Publishing(folder, self._url, warn=warn)

    def upload(self, folder: Path, *, warn: Callable[[str], None]) -> bool:
        """See `Storage.upload`."""
        return publish(folder, self._url, warn=warn)

    def download(self, session_dir: Path, name: str) -> Path | None:
        """See `Storage.download`."""
        return fetched_session(self._url, session_dir, name)

    def remote_sessions(self, limit: int, session_dir: Path) -> Sequence[RemoteSession]:
        """See `Storage.remote_sessions`."""
        return stored_sessions(self._url, limit, session_dir)

    def state(self) -> StoreState:
        """Return the state of the server; errors as `state_of`."""
        return state_of(self._url)

    def stats(self) -> View:
        """See `Storage.stats`."""
        from lve.extensions.store.state import store_stats  # late: it needs the command line

        return store_stats(self._url)

    def refuse_to_delete(self, verb: str) -> None:
        """See `Storage.refuse_to_delete`."""
        raise UsageError(
            f"`lve session cache {verb}` only works on files, but completions are in the team's "
            f"store {self.place}, which others use, too. --session-dir .lve names the file of this "
            "workspace; the owner of the database can delete rows of lve_completions",
            code="store",
        )


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
