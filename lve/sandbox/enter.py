"""Puts a process into its sandbox, permanently."""

from __future__ import annotations

import os
import struct
import sys
from contextlib import suppress
from pathlib import Path

from lve.sandbox import landlock, seccomp
from lve.sandbox.grants import grants
from lve.sandbox.layers import layers
from lve.sandbox.rights import Sandbox

MAX_FILE_BYTES = 500_000_000
"""Maximum size of a file that the process writes."""
MORE_PROCESSES = 200
"""Maximum number of processes and threads in addition to those of the system at the start. Root
isn't limited, so `lve.sandbox.watch` ends processes that start too many."""
_CAPGET_CAPSET = {"x86_64": (125, 126), "aarch64": (90, 91)}
_CAPABILITIES_VERSION = 0x20080522
_FILE_CAPABILITIES = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
_PR_SET_NO_NEW_PRIVS = 38
_ENTERED: list[Sandbox] = []


def enter(sandbox: Sandbox, temporary: str | None = None, *, abi: int | None = None) -> None:
    """Put this process and all its children into a sandbox, as far as the machine supports it.

    The process must have a single thread.

    Args:
        sandbox: what the process may do in addition to the defaults.
        temporary: a folder that it may write into, if any.
        abi: the version of Landlock to use, to act like an older kernel; None: the kernel's.

    Raises:
        OSError: an available layer can't be used. Then no untrusted code may run.
    """
    if sys.platform == "win32":
        return
    _set_limits(writes=bool(sandbox.write))
    if sys.platform != "linux":
        return
    import ctypes

    if ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError("the system doesn't take no_new_privs")
    _prefer_for_oom_killer()
    abi = landlock.version() if abi is None else abi
    has_filter = all(layer.is_available for layer in layers()[1:])
    rules = seccomp.Rules(
        pid=os.getpid(),
        network=sandbox.network,
        signals=abi < landlock.SCOPES_SINCE,
        truncation=abi < landlock.TRUNCATES_SINCE,
    )
    _drop_capabilities()
    if abi:
        landlock.restrict(grants(sandbox, temporary), abi=abi, network=sandbox.network)
    if has_filter:
        os.umask(os.umask(0) & ~seccomp.LISTABLE)  # the filter leaves it so
        seccomp.refuse(rules)
    if abi or has_filter:
        _ENTERED.append(sandbox)


def current_sandbox() -> Sandbox | None:
    """Return the sandbox that this process has entered, None if it hasn't."""
    return _ENTERED[-1] if _ENTERED else None


def _set_limits(*, writes: bool) -> None:
    """Limit the size of files and the number of processes. With `writes`, the process may write
    into folders of the user, where files of any size are allowed."""
    import resource

    _lower(resource.RLIMIT_CORE, 0)
    if not writes:
        _lower(resource.RLIMIT_FSIZE, MAX_FILE_BYTES)
    with suppress(OSError, ValueError, IndexError):
        loadavg = Path("/proc/loadavg").read_text(encoding="ascii")
        running = int(loadavg.split()[3].partition("/")[2])
        _lower(resource.RLIMIT_NPROC, running + MORE_PROCESSES)


def _lower(which: int, limit: int) -> None:
    import resource

    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    with suppress(OSError, ValueError):
        resource.setrlimit(which, (limit, limit))


def _prefer_for_oom_killer() -> None:
    """Have a system that runs out of memory kill this process, not one of the user's."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _drop_capabilities() -> None:
    """Drop root's capabilities, except those for files, without which root can't read other users'
    files. If the system refuses, they stay: the layers restrict root, too."""
    calls = _CAPGET_CAPSET.get(os.uname().machine)
    if calls is None:
        return
    import ctypes

    libc = ctypes.CDLL(None)
    header = struct.pack("=Ii", _CAPABILITIES_VERSION, 0)
    held = ctypes.create_string_buffer(24)
    if libc.syscall(calls[0], header, held) == 0:
        effective, permitted = struct.unpack("=II", held.raw[:8])
        capabilities = (effective & _FILE_CAPABILITIES, permitted & _FILE_CAPABILITIES, 0)
        libc.syscall(calls[1], header, struct.pack("=6I", *capabilities, 0, 0, 0))
