"""A hostile server that speaks PostgreSQL's protocol, and answers each statement as an attack says.

https://www.postgresql.org/docs/current/protocol-message-formats.html
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BufferedReader
from threading import Thread
from typing import NamedTuple

TLS_QUESTIONS = (80877103, 80877104)
SETTINGS = {"server_version": "16.0", "client_encoding": "UTF8", "integer_datetimes": "on"}


class Value(NamedTuple):
    """A value with the type and format that the server claims for it."""

    oid: int
    content: bytes | None
    is_binary: bool = False


Row = Sequence[Value]
Answer = Callable[[str], "Sequence[Row] | bytes"]
"""Statement -> its rows, which all have the types of the first; or messages as they are sent."""


def message(kind: bytes, content: bytes = b"") -> bytes:
    """Return a message of the protocol."""
    return kind + struct.pack("!I", len(content) + 4) + content


def _description(row: Row) -> bytes:
    fields = (
        b"column\0" + struct.pack("!IhIhih", 0, 0, value.oid, -1, -1, value.is_binary)
        for value in row
    )
    return message(b"T", struct.pack("!H", len(row)) + b"".join(fields))


def _row(row: Row) -> bytes:
    content = struct.pack("!H", len(row))
    for value in row:
        text = value.content
        content += struct.pack("!i", -1) if text is None else struct.pack("!i", len(text)) + text
    return message(b"D", content)


class _Connection:
    def __init__(self, client: socket.socket, answer: Answer) -> None:
        self._client = client
        self._answer = answer
        self._statement = ""

    def serve(self) -> None:
        with self._client, suppress(OSError, struct.error), self._client.makefile("rb") as said:
            self._begin(said)
            replies = b""
            while kind := said.read(1):
                (length,) = struct.unpack("!I", said.read(4))
                replies += self._reply(kind, said.read(length - 4))
                if kind in b"QSH":
                    self._client.sendall(replies)
                    replies = b""

    def _begin(self, said: BufferedReader) -> None:
        while True:
            (length,) = struct.unpack("!I", said.read(4))
            if struct.unpack("!I", said.read(length - 4)[:4])[0] not in TLS_QUESTIONS:
                break
            self._client.sendall(b"N")
        settings = (f"{name}\0{value}\0".encode() for name, value in SETTINGS.items())
        begin = message(b"R", bytes(4)) + b"".join(message(b"S", one) for one in settings)
        self._client.sendall(begin + message(b"K", bytes(8)) + message(b"Z", b"I"))

    def _reply(self, kind: bytes, content: bytes) -> bytes:
        if kind == b"Q":
            self._statement = content[:-1].decode()
            return self._described() + self._rows() + message(b"Z", b"I")
        if kind == b"P":
            self._statement = content.split(b"\0")[1].decode()
        plain = {b"P": b"1", b"B": b"2", b"C": b"3"}
        if kind in plain:
            return message(plain[kind])
        if kind == b"S":
            return message(b"Z", b"I")
        return {b"D": self._described, b"E": self._rows}.get(kind, bytes)()

    def _described(self) -> bytes:
        rows = self._answer(self._statement)
        return b"" if isinstance(rows, bytes) else _description(rows[0]) if rows else message(b"n")

    def _rows(self) -> bytes:
        rows = self._answer(self._statement)
        if isinstance(rows, bytes):
            return rows
        return b"".join(map(_row, rows)) + message(b"C", b"SELECT %d\0" % len(rows))


@contextmanager
def hostile_store(answer: Answer) -> Iterator[str]:
    """Serve as long as the block lasts; yield the URL."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listening.accept()
                    Thread(target=_Connection(client, answer).serve, daemon=True).start()

        Thread(target=accept, daemon=True).start()
        yield f"postgresql://me@127.0.0.1:{listening.getsockname()[1]}/db"
