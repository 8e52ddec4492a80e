"""Uploads a session's files to the team's store while they grow.

The store has a copy of the session folder. So nothing is lost if the store can't be reached or the
run is killed: what the store lacks is uploaded the next time.
"""

from __future__ import annotations

import os
import platform
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Protocol

from lve.errors import LveError, with_code
from lve.extensions.store.driver import is_transient
from lve.extensions.store.server import StoreServer
from lve.extensions.store.sessions import FILES, MAX_PIECE_BYTES, SessionStore, StoredFile
from lve.files.owner_only import open_private
from lve.sessions.session_file import INFO_FILE

INTERVAL_S = 2.0
"""Seconds between uploads."""
CLOSE_TIMEOUT_S = 10.0
"""Seconds that the end of a session waits for the last upload."""
_LATER = "when that is mended, `lve session list --push` sends it"


class Sum(Protocol):
    """A hash of hashlib, which has no public name."""

    def copy(self) -> Sum: ...
    def digest(self) -> bytes: ...
    def update(self, data: bytes, /) -> None: ...


class Publisher:
    """Uploads one session."""

    def __init__(self, folder: Path, server: StoreServer) -> None:
        """Args:
        folder: of the session.
        server: of the team's store.
        """
        self._folder = folder
        self._store = SessionStore(server)
        self._sums: dict[str, tuple[int, Sum]] | None = None
        """File -> its length in the store, and the hash of that part."""

    def send(self) -> None:
        """Upload what the store lacks.

        Raises:
            SessionError: the store can't be used.
            OSError: a file can't be read.
            psycopg.Error: an error of the database. If `is_transient`, try again later.
        """
        if self._sums is None:
            stored = self._store.files(self._folder.name)
            self._sums = {name: self._known(name, stored.get(name)) for name in FILES}
        for name in FILES:
            self._send_file(name, self._sums)

    def _known(self, name: str, stored: StoredFile | None) -> tuple[int, Sum]:
        """Return length and hash of the part of a file that the store has; nothing if that isn't
        the beginning of the file."""
        if stored is not None and name != INFO_FILE:
            summed, left = sha256(), stored.length
            with suppress(OSError), self._opened(name) as file:
                while left > 0 and (piece := file.read(min(left, MAX_PIECE_BYTES))):
                    summed.update(piece)
                    left -= len(piece)
            if left == 0 and summed.digest() == stored.sum:
                return stored.length, summed
        return 0, sha256()

    def _send_file(self, name: str, sums: dict[str, tuple[int, Sum]]) -> None:
        try:
            file = self._opened(name)
        except FileNotFoundError:
            return
        with file:
            if name == INFO_FILE:
                self._send_whole(name, file.read(), sums)
                return
            length, summed = sums[name]
            file.seek(length)
            while piece := _whole_lines(file.read(MAX_PIECE_BYTES)):
                after = summed.copy()
                after.update(piece)
                stored = StoredFile(length + len(piece), after.digest())
                self._store.write(self._folder.name, _machine(), name, piece, stored)
                length, summed = stored.length, after
                sums[name] = (length, summed)
                file.seek(length)

    def _send_whole(self, name: str, content: bytes, sums: dict[str, tuple[int, Sum]]) -> None:
        summed = sha256(content)
        if summed.digest() != sums[name][1].digest():
            stored = StoredFile(len(content), summed.digest())
            self._store.write(self._folder.name, _machine(), name, content, stored)
            sums[name] = (len(content), summed)

    def _opened(self, name: str) -> BinaryIO:
        return os.fdopen(open_private(self._folder / name, os.O_RDONLY), "rb")


class Publishing:
    """A thread that uploads a session while it runs."""

    def __init__(self, folder: Path, url: str, *, warn: Callable[[str], None]) -> None:
        """Args:
        folder: of the session.
        url: of the store.
        warn: called by `close`, if the upload isn't complete.
        """
        self._server = StoreServer(url)
        self._publisher = Publisher(folder, self._server)
        self._id = folder.name
        self._warn = warn
        self._closing = threading.Event()
        self._problem: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="lve-publish", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Upload the rest; warn if that fails or takes too long."""
        self._closing.set()
        self._thread.join(CLOSE_TIMEOUT_S)
        if self._thread.is_alive():
            self._server.give_up()
            self._problem = self._problem or TimeoutError("it takes too long")
        if self._problem is not None:
            self._warn(incomplete_upload(self._id, self._server, self._problem))

    def _run(self) -> None:
        """Upload in intervals; what fails is tried again in the next one."""
        is_last = False
        while not is_last:
            is_last = self._closing.wait(INTERVAL_S)
            timeout = CLOSE_TIMEOUT_S if is_last else 0
            self._problem = self._send_until(time.monotonic() + timeout)
        self._server.disconnect()

    def _send_until(self, deadline: float) -> Exception | None:
        """Upload, and retry until the deadline while the store is away; return the last error."""
        while True:
            try:
                self._publisher.send()
            except Exception as error:  # Reported by `close`; the session goes on.
                self._server.disconnect()
                if isinstance(error, LveError) or not is_transient(error):
                    return error
                if time.monotonic() > deadline:
                    return error
                time.sleep(0.25)
            else:
                return None


def publish(folder: Path, url: str, *, warn: Callable[[str], None]) -> bool:
    """Upload a session that has ended; return whether the upload is complete.

    Args:
        folder: of the session.
        url: of the store.
        warn: called with the reason if it isn't.
    """
    server = StoreServer(url)
    try:
        Publisher(folder, server).send()
    except Exception as error:  # Nothing is lost: the session is on this machine.
        warn(incomplete_upload(folder.name, server, error))
        return False
    finally:
        server.disconnect()
    return True


def incomplete_upload(session: str, server: StoreServer, error: Exception) -> str:
    """Return the warning that a session isn't completely in the store."""
    why = error if isinstance(error, LveError) else server.refusal(error, _LATER)
    return with_code(f"session {session} is not, or not all, in the store: {why}", "store")


def _whole_lines(piece: bytes) -> bytes:
    """Return the complete lines of a piece. A killed run leaves an incomplete last line, which is
    cut off when the session is resumed. A piece without any line end is returned if it is full."""
    if len(piece) == MAX_PIECE_BYTES and b"\n" not in piece:
        return piece
    return piece[: piece.rfind(b"\n") + 1]


def _machine() -> str:
    return platform.node()[:100]
