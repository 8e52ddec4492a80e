"""Workers of pytest-xdist that support/fork_server.py forks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from execnet import gateway_io

CLIENT = Path(__file__).with_name("fork_client.py")


def client_of(address: str | Path) -> tuple[str, ...]:
    """Return the beginning of a command for the server at an address."""
    return (sys.executable, "-I", "-S", str(CLIENT), str(address))


def fork_workers(
    command: Callable[[], tuple[str, ...]], set_attribute: Callable[[Any, str, Any], None] = setattr
) -> None:
    """Have the workers forked that pytest-xdist starts from this process."""
    line = gateway_io.popen_bootstrapline
    set_attribute(gateway_io, "popen_args", lambda _: [*command(), "-c", line])
