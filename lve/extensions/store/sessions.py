"""Stores the files of a team's sessions while they grow.

A file is stored in pieces by their offset, with the length and checksum of all content so far. So a
writer can tell whether the stored content is the beginning of its file, and a reader whether it got
everything. Every statement can be repeated after the connection broke.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from lve.errors import SessionError
from lve.extensions.store.driver import Row
from lve.extensions.store.server import StoreServer
from lve.extensions.store.values import rows_of
from lve.files.inside import WHOLE_BYTES
from lve.named_tuples import NamedTuple

FILES = ("results.jsonl", "tests.jsonl", "session.json")
"""The stored files of a session. `session.json` describes the others, so it is written last."""
MAX_PIECE_BYTES = 1_000_000
MAX_FILE_BYTES = 4_000_000_000
"""Maximum size of a stored file; a larger one is treated as damaged."""
MAX_PIECES = 1_000_000
"""Maximum number of pieces of a stored file: a run of three weeks sends one every two seconds."""
MAX_LISTED = 1000


class StoredFile(NamedTuple):
    """How much of a file is stored."""

    length: int
    sum: bytes
    """SHA-256 of the content."""


class StoredSession(NamedTuple):
    """A session in the store."""

    id: str
    machine: str
    """The name of the machine that ran it."""
    idle_s: float
    """Seconds since its last write."""
    info: bytes
    """The content of its `session.json`."""


class SessionStore:
    """Reads and writes sessions. Not thread-safe."""

    def __init__(self, server: StoreServer) -> None:
        self._server = server

    def files(self, session: str) -> dict[str, StoredFile]:
        """Return the stored files of a session by name.

        Raises:
            SessionError, psycopg.Error: as `StoreServer.connected`.
        """
        rows = self._read(
            "SELECT name, length, sum FROM lve_session_files WHERE session = %s LIMIT 100",
            (session,),
            (str, int, bytes),
        )
        return {name: StoredFile(length, sum_) for name, length, sum_ in rows}

    def write(self, session: str, machine: str, name: str, piece: bytes, file: StoredFile) -> None:
        """Append a piece to a file, or replace the file if the piece is all of it.

        Args:
            session: the session's id.
            machine: the name of the machine that runs the session.
            name: the file's name.
            piece: the content to append.
            file: the file including the piece, which ends it.
        """
        begin = file.length - len(piece)
        connection = self._server.connected()
        with connection.transaction():
            connection.execute(_SESSION, (session, machine))
            if begin == 0:
                connection.execute(_FORGET, (session, name))
            connection.execute(_FILE, (session, name, file.length, file.sum))
            connection.execute(_PIECE, (session, name, begin, piece))

    def ids(self, beginning: str) -> list[str]:
        """Return the ids of up to ten sessions that start with `beginning`, the latest first."""
        statement = (
            "SELECT id FROM lve_sessions WHERE starts_with(id, %s) ORDER BY id DESC LIMIT 10"
        )
        return [id_ for (id_,) in self._read(statement, (beginning,), (str,))]

    def listed(self, limit: int) -> list[StoredSession]:
        """Return the latest sessions with a stored `session.json`, the latest first."""
        limits = (WHOLE_BYTES, min(limit, MAX_LISTED))
        rows = self._read(_LISTED, limits, (str, str, float, bytes))
        return [StoredSession(*row) for row in rows]

    def pieces(self, session: str, name: str) -> Iterator[bytes]:
        """Yield the content of a file in pieces; nothing if it isn't stored.

        Raises:
            SessionError: the file is incomplete or too large.
        """
        file = self.files(session).get(name)
        if file is None:
            return
        length, summed, count = 0, sha256(), 0
        while length < file.length:
            piece, count = self._piece(session, name, length), count + 1
            is_over = length + len(piece or b"") > min(file.length, MAX_FILE_BYTES)
            if not piece or is_over or count > MAX_PIECES:
                raise _damaged(session, name)
            length += len(piece)
            summed.update(piece)
            yield piece
        if length != file.length or summed.digest() != file.sum:
            raise _damaged(session, name)

    def _piece(self, session: str, name: str, at: int) -> bytes | None:
        statement = (
            "SELECT content FROM lve_session_pieces WHERE session = %s AND name = %s AND at = %s "
            "AND octet_length(content) <= %s"
        )
        rows = self._read(statement, (session, name, at, WHOLE_BYTES), (bytes,))
        return next((content for (content,) in rows), None)

    def _read(
        self, statement: str, values: tuple[object, ...], kinds: tuple[type, ...]
    ) -> Iterator[Row]:
        """Return the rows of a statement, with columns of these types."""
        return rows_of(self._server.connected().execute(statement, values), *kinds)


_SESSION = """
INSERT INTO lve_sessions (id, machine, updated) VALUES (%s, %s, clock_timestamp())
ON CONFLICT (id) DO UPDATE SET machine = excluded.machine, updated = excluded.updated"""
_FORGET = "DELETE FROM lve_session_files WHERE session = %s AND name = %s"
_FILE = """
INSERT INTO lve_session_files (session, name, length, sum) VALUES (%s, %s, %s, %s)
ON CONFLICT (session, name) DO UPDATE SET length = excluded.length, sum = excluded.sum"""
_PIECE = """
INSERT INTO lve_session_pieces (session, name, at, content) VALUES (%s, %s, %s, %s)
ON CONFLICT (session, name, at) DO UPDATE SET content = excluded.content"""
_LISTED = """
SELECT s.id, s.machine, extract(epoch FROM clock_timestamp() - s.updated)::float8, p.content
FROM lve_sessions s JOIN lve_session_pieces p
  ON p.session = s.id AND p.name = 'session.json' AND p.at = 0 AND octet_length(p.content) <= %s
WHERE isfinite(s.updated)
ORDER BY s.id DESC LIMIT %s"""


def _damaged(session: str, name: str) -> SessionError:
    return SessionError(
        f"session {session} is damaged in the store: {name} isn't whole; where it was run, `lve "
        "session list --push` sends it again",
        code="store",
    )
