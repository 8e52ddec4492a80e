"""Protects the Ray cluster that a run starts on its own machine.

Ray listens on all addresses of the machine, and whoever may use a cluster runs any program on it.
So a run's own cluster requires a token. Its folder with sockets and logs, which Ray makes writable
for everybody, is inside a private one.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

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
    return Path(tempfile.mkdtemp(prefix="lve-ray-", dir=place))
