"""Code files that the settings trust, and what each of them may do."""

from __future__ import annotations

import os
from pathlib import Path

from lve.errors import TrustError
from lve.named_tuples import NamedTuple
from lve.sandbox.rights import Sandbox

MEMORY_GB = 2
"""Memory of a code file's process beyond what it starts with."""


class TrustedFile(NamedTuple):
    """An entry of `trust`: a code file that may run as long as its content stays the same."""

    path: str
    """Relative to the workspace root, with `/`."""
    sha256: str
    env: tuple[str, ...] = ()
    """Environment variables that it may see in addition to the usual ones."""
    read: tuple[str, ...] = ()
    """Files and folders that it may read, relative to the workspace root; `~` is the home
    folder."""
    write: tuple[str, ...] = ()
    """Files and folders that it may read and change."""
    network: bool = False
    """Whether it may use the network."""
    sandbox: bool = True
    """Whether it runs in a sandbox, which denies everything else."""
    memory_gb: float | None = None
    """Memory that it may take, in GB; None: `MEMORY_GB` in a sandbox, else without a limit."""


class CodeRights(NamedTuple):
    """The rights of a process that runs a code file."""

    env: tuple[str, ...] = ()
    """Environment variables that it may see in addition to the usual ones."""
    sandbox: Sandbox | None = Sandbox()
    """The sandbox that it runs in; None: no sandbox."""
    memory_bytes: int | None = MEMORY_GB * 10**9
    """Memory of each of its processes beyond what it starts with; None: no limit."""


def rights_of(
    entry: TrustedFile | None, folder: Path, root: Path, *, sandbox_required: bool
) -> CodeRights:
    """Return the rights of a trusted file.

    Args:
        entry: the settings' entry for it; None if it is only trusted for this run.
        folder: the folder that it may read.
        root: the workspace root.
        sandbox_required: whether it may only run in a complete sandbox.

    Raises:
        TrustError: a complete sandbox is required, and this machine lacks a part of it.
    """
    entry = entry or TrustedFile("", "")
    memory = entry.memory_gb or (MEMORY_GB if entry.sandbox else None)
    memory_bytes = None if memory is None else int(memory * 10**9)
    if not entry.sandbox:
        return CodeRights(entry.env, None, memory_bytes)
    if sandbox_required:
        _check_sandbox()
    sandbox = Sandbox(
        folder=os.path.abspath(folder),  # noqa: PTH100 (no link is followed)
        read=tuple(_place(path, root) for path in entry.read),
        write=tuple(_place(path, root) for path in entry.write),
        network=entry.network,
        private=(str(root.absolute()),),
    )
    return CodeRights(entry.env, sandbox, memory_bytes)


def _place(path: str, root: Path) -> str:
    return os.path.abspath(root / os.path.expanduser(path))  # noqa: PTH100, PTH111


def _check_sandbox() -> None:
    from lve.sandbox.layers import missing_text  # late: it loads ctypes

    if missing := missing_text():
        raise TrustError(f"it brings code, and the settings say `sandbox: required`, but {missing}")
