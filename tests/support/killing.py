"""Runs of lve that are killed, such as while they wait for a server."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time

from support.forked import python
from support.server import ModelServer
from support.strict_server import StrictServer


class KilledRun:
    """A `lve run` that is going to be killed, by any thread."""

    def __init__(self, *arguments: str) -> None:
        """Start it."""
        self._is_gone = threading.Event()
        self._process = subprocess.Popen(
            [*python(), "-m", "lve", "run", *arguments],
            env={"OPENAI_API_KEY": "none", **os.environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """Kill it; return when it is gone."""
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()  # the command ends a moment before what is forked for it
        self._is_gone.set()

    def wait(self) -> None:
        """Wait until it is killed and gone."""
        assert self._is_gone.wait(60)
        assert self._process.returncode == -signal.SIGKILL


def kill_when_asked(arguments: list[str], server: ModelServer | StrictServer, more: int) -> None:
    """Start lve, and kill it when the server has got so many more requests."""
    before = len(server.requests)
    run = KilledRun(*arguments)
    ends = time.monotonic() + 30
    while len(server.requests) < before + more and run.is_running:
        assert time.monotonic() < ends
        time.sleep(0.005)
    run.kill()
