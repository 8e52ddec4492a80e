"""Takes from a process what its sandbox doesn't allow, for good."""

from __future__ import annotations

import os
import struct
import sys
from contextlib import suppress
from pathlib import Path

from lve.sandbox import landlock, seccomp
from lve.sandbox.layers import layers
from lve.sandbox.readable import grants
from lve.sandbox.rights import Sandbox

MAX_FILE_BYTES = 500_000_000
"""Size of one file that it writes."""
MORE_PROCESSES = 200
"""Processes and threads beyond those that the system has when it begins. Root has no such limit:
`lve.sandbox.watch` ends what starts more."""
_CAPGET_CAPSET = {"x86_64": (125, 126), "aarch64": (90, 91)}
_CAPABILITIES_VERSION = 0x20080522
_OVER_FILES = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: root's files are others'
_PR_SET_NO_NEW_PRIVS = 38
_ENTERED: list[Sandbox] = []


def enter(sandbox: Sandbox, temporary: str | None = None, *, abi: int | None = None) -> None:
    """Keep this process, and all that it starts, in a sandbox, as far as the machine can. It must
    have a single thread.

    Args:
        sandbox: what it may do beside the usual.
        temporary: a folder that it may write into; None for none.
        abi: the version of Landlock to use, as an older kernel has it; None: what there is.

    Raises:
        OSError: a layer that is there can't be used. Then no code may run.
    """
    if sys.platform == "win32":
        return
    _limit(writes=bool(sandbox.write))
    if sys.platform != "linux":
        return
    import ctypes

    if ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError("the system doesn't take no_new_privs")
    _go_first()
    abi = landlock.version() if abi is None else abi
    has_filter = all(one.is_there for one in layers()[1:])
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
        seccomp.refuse(rules)
    if abi or has_filter:
        _ENTERED.append(sandbox)


def entered() -> Sandbox | None:
    """Return the sandbox that this process is in, None if it is in none."""
    return _ENTERED[-1] if _ENTERED else None


def _limit(*, writes: bool) -> None:
    """Limit what it may write and start. Folders of the user's that it may write into may get
    files of any size."""
    import resource

    _lower(resource.RLIMIT_CORE, 0)
    if not writes:
        _lower(resource.RLIMIT_FSIZE, MAX_FILE_BYTES)
    with suppress(OSError, ValueError, IndexError):
        said = Path("/proc/loadavg").read_text(encoding="ascii")
        running = int(said.split()[3].partition("/")[2])
        _lower(resource.RLIMIT_NPROC, running + MORE_PROCESSES)


def _lower(which: int, limit: int) -> None:
    import resource

    _, most = resource.getrlimit(which)
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most)
    with suppress(OSError, ValueError):
        resource.setrlimit(which, (limit, limit))


def _go_first() -> None:
    """Have a system that runs out of memory end this process, not the user's."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _drop_capabilities() -> None:
    """Give up root's rights, but for those over files, without which root can't read what belongs
    to others. A system that doesn't take it keeps them: the layers hold root, too."""
    calls = _CAPGET_CAPSET.get(os.uname().machine)
    if calls is None:
        return
    import ctypes

    libc = ctypes.CDLL(None)
    header = struct.pack("=Ii", _CAPABILITIES_VERSION, 0)
    held = ctypes.create_string_buffer(24)
    if libc.syscall(calls[0], header, held) == 0:
        effective, permitted = struct.unpack("=II", held.raw[:8])
        kept = (effective & _OVER_FILES, permitted & _OVER_FILES, 0)
        libc.syscall(calls[1], header, struct.pack("=6I", *kept, 0, 0, 0))
