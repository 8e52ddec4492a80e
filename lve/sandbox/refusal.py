"""Explains what a sandbox refused; the system says no more than `Permission denied`."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator

from lve.named_tuples import NamedTuple
from lve.sandbox.enter import MAX_FILE_BYTES, current_sandbox
from lve.sandbox.seccomp import NO_NETWORK

_MAX_CAUSES = 20
_NO_THREAD = "can't start new thread"
_NO_MEMORY = "can't allocate memory"


class Refusal(NamedTuple):
    """Something that a sandbox refused."""

    message: str
    setting: str
    """The setting that allows it, in a file's entry under `trust`."""


def refusal_of(error: BaseException) -> Refusal | None:
    """Return what the sandbox of this process refused, None if that isn't the cause of `error`.

    Args:
        error: the exception that the code raised; its causes are examined, too.
    """
    sandbox = current_sandbox()
    if sandbox is None:
        return None
    refusals = (_refusal(cause, network=sandbox.network) for cause in _causes(error))
    return next((refusal for refusal in refusals if refusal is not None), None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and the chain of exceptions that caused it."""
    cause: BaseException | None = error
    for _ in range(_MAX_CAUSES):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__


def _refusal(error: BaseException, *, network: bool) -> Refusal | None:
    if isinstance(error, RuntimeError) and _NO_THREAD in str(error):
        return _TOO_MANY
    is_system = isinstance(error, OSError) and error.errno == errno.ENOMEM
    if is_system or isinstance(error, MemoryError) or _NO_MEMORY in str(error):
        return _memory_refusal()
    if not isinstance(error, OSError):
        return None
    if not network and (error.errno == NO_NETWORK or isinstance(error, socket.gaierror)):
        return Refusal("code of a test has no network", "`network: true`")
    if error.errno == errno.EAGAIN:
        return _TOO_MANY
    if error.errno == errno.EFBIG:
        message = f"a file that code of a test writes has at most {MAX_FILE_BYTES // 10**6} MB"
        return Refusal(message, "`sandbox: false`")
    if error.errno == errno.EACCES and isinstance(error.filename, str | bytes):
        if error.filename2 is not None:  # moving and linking write
            return _write_refusal(os.fsdecode(error.filename2))
        return _file_refusal(os.fsdecode(error.filename))
    if error.errno in (errno.EACCES, errno.EPERM):
        return _SYSTEM
    return None


_SYSTEM = Refusal(
    "code of a test can't reach other processes or the system, nor change modes of files",
    "`sandbox: false`",
)
_TOO_MANY = Refusal("code of a test can start only so many processes", "`sandbox: false`")


_MODES = Refusal(
    "code of a test can't change modes of files; it makes a program with "
    "`os.open(path, os.O_CREAT | os.O_WRONLY, 0o700)`",
    "`sandbox: false`",
)


def _memory_refusal() -> Refusal | None:
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
    if limit == resource.RLIM_INFINITY:
        return None
    whole = max(1, round(limit / 10**9))
    message = f"code of a test has {whole} GB of memory"
    return Refusal(message, f"`memory_gb: {2 * whole}`")


def _file_refusal(path: str) -> Refusal | None:
    """Return what was refused about a file; None if the user may not open it either."""
    place = os.path.abspath(path)  # noqa: PTH100
    if place.startswith("/proc/"):
        return _SYSTEM
    if place.startswith(os.environ.get("TMPDIR", os.devnull) + os.sep):
        return _MODES
    if _can_be_read(path) or not os.path.lexists(path):
        return _write_refusal(path)
    if not os.access(path, os.R_OK):  # it ignores the sandbox
        return None
    message = "code of a test reads only its folder and Python's packages"
    return Refusal(message, f"`read: [{place}]`")


def _write_refusal(path: str) -> Refusal:
    message = "code of a test writes only into its temporary folder (`tempfile`)"
    place = os.path.abspath(path)  # noqa: PTH100
    if not os.path.lexists(place):  # only what exists can be allowed
        place = os.path.dirname(place)  # noqa: PTH120
    return Refusal(message, f"`write: [{place}]`")


def _can_be_read(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError:
        return False
    return True
