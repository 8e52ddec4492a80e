"""Starts git and gh for a contributor, each with the environment variables that it needs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread
from typing import Literal

from lve.child.child_command import child_environment
from lve.errors import UsageError
from lve.escape import excerpt
from lve.files.inside import WHOLE_BYTES
from lve.secrets.secret_values import is_secret_name

if sys.platform == "linux":
    import resource

Access = Literal["read", "write", "online"]
"""What a command does: it only reads the clone, changes it too, or also uses the network."""
_READ = ("GIT_", "XDG_")
_WRITE = (*_READ, "GPG_", "GNUPGHOME", "SSH_", "EMAIL", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
_ONLINE = (*_WRITE, "GH_", "GITHUB_TOKEN", "GITHUB_ENTERPRISE_TOKEN", *_PROXIES)
_PREFIXES: Mapping[Access, tuple[str, ...]] = {"read": _READ, "write": _WRITE, "online": _ONLINE}
"""Prefixes of the variables that a command gets, beside those that every program needs. Keys of
models have other names; case doesn't matter for proxies."""
_NO_SECRETS = ("GIT_CONFIG_KEY_",)
"""Prefixes of names that only look like those of secrets."""
MAX_SAID = 10_000
"""Bytes of a command's error that are read."""
MEMORY_BYTES = 2_000_000_000
"""Memory of a command that only reads, without the files that it maps."""
SECONDS: Mapping[Access, float] = {"read": 60, "write": 60, "online": 300}
"""Time limits of commands."""


def variables(access: Access) -> dict[str, str]:
    """Return the environment variables of a command.

    Only commands that use the network get tokens, passwords and proxies. The hooks, filters and
    credential helpers that the user has configured get what git gets.
    """
    return child_environment(os.environ, _names(access))


def run_program(
    folder: Path,
    command: Sequence[str],
    access: Access,
    *,
    text: str | None = None,
    more: Mapping[str, str] | None = None,
) -> str:
    """Run a program and return its standard output.

    Args:
        folder: the program's current folder.
        command: its name and arguments.
        access: what it does.
        text: its standard input.
        more: further environment variables.

    Raises:
        UsageError: it isn't installed, failed (with its message), took too long or wrote too much.
    """
    name, seconds = command[0], SECONDS[access]
    with TemporaryFile() as sent, TemporaryFile() as errors:
        sent.write((text or "").encode("utf-8", "surrogateescape"))
        sent.seek(0)
        try:
            process = subprocess.Popen(
                [_program(name), *command[1:]],
                cwd=folder,
                stdin=sent,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**variables(access), **(more or {})},
            )
        except FileNotFoundError:
            raise _missing(name) from None
        if access == "read":
            _limit_memory(process.pid)
        output = _output(process, name, seconds)
        if process.returncode:
            errors.seek(0)
            why = (errors.read(MAX_SAID) or output).decode(errors="replace").strip()
            why = excerpt(why, 500) or f"ended with {process.returncode}"
            raise UsageError(f"{name}: {why}", code="git")
    return output.decode("utf-8", "surrogateescape")


def _output(process: subprocess.Popen[bytes], name: str, seconds: float) -> bytes:
    """Wait for a program and return its standard output.

    Raises:
        UsageError: it took too long, or wrote too much.
    """
    pieces: list[bytes] = []

    def read() -> None:
        assert process.stdout is not None
        with process.stdout as output:
            pieces.append(output.read(WHOLE_BYTES + 1))

    # In a thread, because a program of its own may outlive it and hold the pipe.
    reader = Thread(target=read, daemon=True)
    reader.start()
    end = time.monotonic() + seconds
    try:
        reader.join(seconds)
        if not reader.is_alive() and len(pieces[0]) > WHOLE_BYTES:
            raise UsageError(f"{name} wrote more than {WHOLE_BYTES:,} bytes", code="git")
        process.wait(max(0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise UsageError(f"{name} took more than {seconds:.0f} seconds", code="git") from None
    finally:
        process.kill()
        process.wait()
    return pieces[0]


def _limit_memory(pid: int) -> None:
    """Limit the memory of a program that reads what somebody has contributed."""
    if sys.platform == "linux":
        with suppress(OSError):  # it has ended
            resource.prlimit(pid, resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))


def is_installed(name: str) -> bool:
    """Return whether a program is on the PATH."""
    try:
        return bool(_program(name))
    except UsageError:
        return False


def _program(name: str) -> str:
    """Return the path of a program.

    A relative entry of the PATH doesn't count, nor does Windows' search of the current folder:
    there may be a `git` that somebody has contributed.
    """
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    there = os.pathsep.join(entry for entry in entries if Path(entry).is_absolute())
    path = shutil.which(name, path=there) if there else None
    if path is None or not Path(path).is_absolute():
        raise _missing(name)
    return path


def _missing(name: str) -> UsageError:
    return UsageError(f"{name} isn't installed, or not on the PATH", code="git")


def _names(access: Access) -> Iterator[str]:
    for name in os.environ:
        is_proxy = name.lower() in _PROXIES
        if not (name.startswith(_PREFIXES[access]) or (is_proxy and access == "online")):
            continue
        is_secret = is_secret_name(name) and not name.startswith(_NO_SECRETS)
        if access == "online" or not is_secret:
            yield name
