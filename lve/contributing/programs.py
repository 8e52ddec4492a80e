"""Starts git and gh for a contributor, each with the environment variables that it needs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from lve.child.child_command import child_environment
from lve.errors import UsageError
from lve.escape import excerpt
from lve.secret_values import is_secret_name

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
        UsageError: it isn't installed, failed (with its message) or took too long.
    """
    name, seconds = command[0], SECONDS[access]
    try:
        done = subprocess.run(
            [_program(name), *command[1:]],
            cwd=folder,
            input=(text or "").encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=seconds,
            env={**variables(access), **(more or {})},
            check=False,
        )
    except FileNotFoundError:
        raise _missing(name) from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"{name} took more than {seconds:.0f} seconds", code="git") from None
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise UsageError(
            f"{name}: {excerpt(said, 500) or f'ended with {done.returncode}'}", code="git"
        )
    return done.stdout.decode("utf-8", "surrogateescape")


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
