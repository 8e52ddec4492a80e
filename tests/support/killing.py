"""Kills a run of lve while it waits for a server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from support.server import ModelServer
from support.strict_server import StrictServer


def kill_when_asked(arguments: list[str], server: ModelServer | StrictServer, more: int) -> None:
    """Start lve, and kill it when the server has got so many more requests."""
    before = len(server.requests)
    process = subprocess.Popen(
        [sys.executable, "-m", "lve", "run", *arguments],
        env={**os.environ, "OPENAI_API_KEY": "none"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    ends = time.monotonic() + 30
    while len(server.requests) < before + more and process.poll() is None:
        assert time.monotonic() < ends
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
