"""Python as a command that has imported lve and pytest already: `[*python(), "-m", "lve", "run"]`.

A real process with its own arguments, folder, environment and files, which gets the signals that
its command gets. It takes a tenth of the time of a start, so a test uses it unless the start itself
is what it tests. Its number isn't that of the command; its limits and rights are those of the
server that forks it.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from zlib import crc32

from support.fork_workers import client_of

from lve.child import child_command as commands

HERE = Path(__file__).parent


@cache
def python(*imports: str, preexec: Callable[[], None] | None = None) -> tuple[str, ...]:
    """Return the beginning of a command.

    Args:
        imports: the modules that it has imported, instead of lve and pytest.
        preexec: what the server calls before it starts, such as giving up rights.
    """
    if sys.platform != "linux":
        return (sys.executable,)
    folder, owner = _shared()
    kind = "-".join([*imports, preexec.__name__ if preexec else ""])
    address = folder / f"{crc32(kind.encode()):x}"  # short, as the address of a socket must be
    with address.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not address.exists():
            _start(address, owner, imports, preexec)
    return client_of(address)


def _shared() -> tuple[Path, int]:
    """Return the folder and the process that all workers of pytest share."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is None:
        return Path(tempfile.mkdtemp()), os.getpid()
    folder = Path(tempfile.gettempdir()) / f"lve-{run}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder, os.getppid()


def _start(
    address: Path, owner: int, imports: tuple[str, ...], preexec: Callable[[], None] | None
) -> None:
    """Start a server that lives as long as its owner."""
    server = subprocess.Popen(
        [sys.executable, str(HERE / "fork_server.py"), str(address), str(owner), *imports],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=preexec,
    )
    server.returncode = 0  # nobody waits for it
    assert server.stdout is not None
    with server.stdout as said:
        assert said.readline() == "ready\n"


_child_command = commands.child_command


def child_command(module: str, _lifeline: float) -> list[str]:
    """Return the command for a process of `lve.child.child_process`. It ends with its client and
    needs no lifeline."""
    return [*python(), *_child_command(module, -1)[1:]]
