"""Protects the Ray cluster that a run starts on its own machine.

Ray listens on all addresses of the machine, and whoever may use a cluster runs any program on it.
So a run's own cluster requires a token. Its folder with sockets and logs, which Ray makes writable
for everybody, is inside a private one.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import secrets
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lve.extensions.ray.driver import note_folder
from lve.sandbox.removal import remove_tree

SHUTDOWN_S = 8.0
"""Seconds that leaving the cluster may take."""

MODE, TOKEN, TOKEN_FILE = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"
"""Ray's variables."""


def require_token() -> None:
    """Have Ray require a token of everybody who connects, unless the user's variables set a mode.

    The token stays in this process and Ray's. Ray's default is a file in the home folder that every
    user of the machine can read.
    """
    if MODE in os.environ:
        return
    os.environ[MODE] = "token"
    if TOKEN not in os.environ and TOKEN_FILE not in os.environ:
        os.environ[TOKEN] = secrets.token_hex(32)
    from ray._raylet import Config  # type: ignore[attr-defined, unused-ignore]  # the stubs leave it out

    Config.initialize("")  # Ray has read the variables when it was imported


def make_folder() -> Path:
    """Make the private folder for the files of a cluster."""
    # A short path: Ray makes Unix sockets below it.
    place = "/tmp" if os.name == "posix" else None
    folder = Path(tempfile.mkdtemp(prefix="lve-ray-", dir=place))
    note_folder(folder)
    return folder


async def leave(shutdown: Callable[[], object], folder: Path | None) -> None:
    """Leave a cluster, but don't wait long: a raylet that was stopped never answers. Then this
    process ends without Ray's own end; `lve.extensions.ray.driver` ends what it leaves behind.

    Args:
        shutdown: Ray's own function.
        folder: of the run's own cluster.
    """
    atexit.unregister(shutdown)
    done = threading.Event()

    def end() -> None:
        with suppress(Exception):
            shutdown()
        done.set()

    threading.Thread(target=end, name="lve-ray-end", daemon=True).start()
    until = time.monotonic() + SHUTDOWN_S
    while not done.is_set() and time.monotonic() < until:  # noqa: ASYNC110 (a thread)
        await asyncio.sleep(0.02)
    if folder is not None:
        remove_tree(folder)
