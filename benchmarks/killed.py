"""Where every request of a run was when SIGKILL ended it. Linux only: `/proc/net/tcp`.

A frozen process (SIGSTOP) is as good as dead: it reads and commits nothing any more. But its
sockets are open, so the server finishes what it is working on, and what the process never read
stays in their receive queues. Then nothing moves and all counts are exact: what was answered, is in
no queue and isn't in the cache had been read and is lost.

Killed without that, a process seems to lose more: the kernel takes milliseconds to close its
sockets, and what the server answers meanwhile counts as answered.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from server import RunningServer

SOCKETS = Path("/proc/net/tcp")
CAN_COUNT = SOCKETS.exists()
"""Whether this system tells what is in the queues of another process's sockets."""


@dataclass
class Lost:
    """The answers that killed processes had paid for and not kept."""

    in_flight: int = 0
    """The server was still working on them."""
    unread: int = 0
    """In the socket's buffer: the process had not read them."""
    uncommitted: int = 0
    """The process had read them; they were not in the cache."""

    def total(self) -> int:
        """All of them: requests that a resumed run has to send again."""
        return self.in_flight + self.unread + self.uncommitted

    def add(self, other: Lost) -> None:
        """Take over what was lost elsewhere."""
        self.in_flight += other.in_flight
        self.unread += other.unread
        self.uncommitted += other.uncommitted


def kill(process: subprocess.Popen[str], server: RunningServer, cache: Path, lost: Lost) -> None:
    """End a process with SIGKILL and add what it lost to `lost`, which has the kills before it.

    Args:
        process: a run, which may have ended by itself.
        server: answers this run and those before it that share the cache, and nobody else.
        cache: the file of completions.
        lost: is changed.
    """
    process.send_signal(signal.SIGSTOP)
    if process.returncode is None:
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    at_once = _unread_answers(server)
    answered = _answered_in_the_end(server)
    never_read = _unread_answers(server)
    process.kill()
    process.communicate()
    lost.unread += at_once
    lost.in_flight += never_read - at_once
    lost.uncommitted = answered - _commits(cache) - lost.unread - lost.in_flight


def _unread_answers(server: RunningServer) -> int:
    """Return how many of the connections to the server hold bytes that their process hasn't read.
    A connection has one request at a time."""
    to = urlsplit(server.url).port
    return sum(queued > 0 for remote, queued in _receive_queues() if remote == to)


def _receive_queues() -> Iterator[tuple[int, int]]:
    """Yield the remote port and the unread bytes of every TCP socket."""
    for line in SOCKETS.read_text(encoding="ascii").splitlines()[1:]:
        _, _, remote, _, queues, *_ = line.split()
        yield int(remote.rpartition(":")[2], 16), int(queues.rpartition(":")[2], 16)


def _answered_in_the_end(server: RunningServer) -> int:
    """Wait until the server has nothing more to do; return how many answers it has sent."""
    while True:
        stats = server.stats()
        if stats["in_flight"] == 0:
            return int(stats["answered"])
        time.sleep(0.01)


def _commits(cache: Path) -> int:
    """Return how many completions were ever committed, one that was committed again included: it
    gets a new id."""
    if not cache.exists():
        return 0
    # Read-only, so that closing doesn't tidy up what the kill left.
    db = sqlite3.connect(f"{cache.as_uri()}?mode=ro", uri=True)
    try:
        return int(db.execute("SELECT coalesce(max(id), 0) FROM completions").fetchone()[0])
    except sqlite3.OperationalError:  # killed before it made the table
        return 0
    finally:
        db.close()
