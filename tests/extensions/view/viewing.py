"""A server of `lve view`, and raw requests to it."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from lve.extensions.view.server import ViewServer
from lve.extensions.view.sessions import ViewedSessions
from lve.sessions.session_folder import SessionFolder

PATIENCE_S = 20.0


class Answer(NamedTuple):
    """What a server said."""

    status: int
    head: str
    body: bytes

    @property
    def json(self) -> Any:
        """Its body as JSON."""
        return json.loads(self.body)


class Client:
    """Talks to a server as nobody's browser would."""

    def __init__(self, server: ViewServer) -> None:
        self.server = server
        self.port = server.server_port
        self.root = server.guard.root
        self.host = f"127.0.0.1:{self.port}"

    def raw(self, data: bytes) -> bytes:
        """Send bytes and return all that comes back."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE_S) as connection:
            connection.sendall(data)
            return received(connection)

    def ask(self, path: str = "", method: str = "GET", body: bytes = b"", **headers: str) -> Answer:
        """Send a request below the page's address."""
        given = {"Host": self.host, **headers}
        if method == "POST":
            own = {"Origin": f"http://{self.host}", "Content_Type": "application/json"}
            given = {**given, **own, "Content_Length": str(len(body)), **headers}
        lines = [f"{method} {self.root}{path} HTTP/1.1"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in given.items()]
        return parsed(self.raw("\r\n".join([*lines, "", ""]).encode() + body))

    def label(self, **label: Any) -> Answer:
        """Send a label."""
        return self.ask("labels", "POST", json.dumps(label).encode())


def received(connection: socket.socket) -> bytes:
    """Return all that a connection gives until it ends."""
    parts = []
    while True:
        try:
            part = connection.recv(1 << 16)
        except ConnectionError:
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts)


def parsed(data: bytes) -> Answer:
    """Return an answer; status 0 if there is none."""
    head, _, body = data.partition(b"\r\n\r\n")
    text = head.decode("latin-1")
    return Answer(int(text.split(" ")[1]) if text else 0, text, body)


@contextmanager
def view_server(folders: Sequence[SessionFolder], author: str | None = None) -> Iterator[Client]:
    """Serve sessions in a thread of its own until the block ends."""
    warned: list[str] = []
    viewed = ViewedSessions(folders, author, warned.append)
    with ViewServer(viewed) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield Client(server)
        finally:
            server.shutdown()
            thread.join(PATIENCE_S)
