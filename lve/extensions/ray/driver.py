"""The process that uses Ray is a child: Ray ends it, without a word and with exit code 1, if its
raylet or an agent dies, and may keep it from ending if one is stopped.

The parent waits for the child and ends as it does, or says that Ray has ended it. It also ends what
the child has started and left behind: the system gives orphans to it.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lve.cli.printing import print_message
from lve.errors import with_code
from lve.exit_code import ExitCode
from lve.sandbox.removal import remove_tree

EXIT_S = 10.0
"""Seconds that the child has to end when all is done. Most of it is Ray's own end."""
REST_S = 2.0
"""The same for what it has left behind."""
POLL_S = 0.05
WATCH_S = 2.0
"""Seconds between two looks at the raylet. Ray itself mostly notices before."""
TEST_FAILED = 1
"""The exit code of a failed test, and of a process that Ray ends."""
ENDED = (
    "Ray has ended the run, because its raylet or an agent died; what is done is kept: go on with "
    "`lve run --resume last`"
)
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
_SIGNALS = {signal.SIGINT, signal.SIGTERM}
_BY_KERNEL = 0x80
"""`si_code` of a signal that a terminal sends to all processes of its group."""
_notes: list[int] = []
"""In the child: where it says what the parent must know."""


def in_child(work: Callable[[], int], tell: Callable[[], None] | None = None) -> int:
    """Do some work that uses a cluster in a child process, and return its exit code. Returns in
    both processes; the parent returns the child's exit code. Without Linux's means, it does the
    work here.

    Args:
        work: returns an exit code.
        tell: called in the parent if Ray has ended the child; None: print a message.
    """
    if sys.platform != "linux" or not _prctl(_PR_SET_CHILD_SUBREAPER, 1):
        return work()
    sys.stdout.flush()
    sys.stderr.flush()
    others = set(_children())
    reader, writer = os.pipe()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    child = os.fork()
    if child == 0:
        end_with_parent()
        _prctl(_PR_SET_CHILD_SUBREAPER, 0)
        os.close(reader)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return _worked(work, writer)
    os.close(writer)
    signal.set_wakeup_fd(-1)  # the watchdog counts the child's signals
    try:
        return _Parent(child, reader, others, tell or _print_ended).wait()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def end_with_parent() -> None:
    """Have Linux kill this process when its parent ends."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def end_with_raylet(is_closed: threading.Event, is_leaving: Callable[[], bool]) -> None:
    """Wait until a cluster is closed. If the raylet that this thread has started dies before, end
    this process as Ray does: Ray may not notice, and wait for it for ever.

    Args:
        is_closed: set when the cluster is closed.
        is_leaving: returns whether it is being closed, which ends the raylet.
    """
    raylets = [pid for pid in _children(threading.get_native_id()) if _name(pid) == "raylet"]
    while not is_closed.wait(WATCH_S):
        if _notes and not is_leaving() and not all(map(_is_running, raylets)):
            os._exit(TEST_FAILED)


def note_folder(folder: Path) -> None:
    """Let the parent remove a folder, if this process can't."""
    _note(f"folder {folder}")


def _worked(work: Callable[[], int], writer: int) -> int:
    _notes.append(writer)
    try:
        code = work()
    except BaseException:
        _note("error")
        raise
    _note(f"code {int(code)}")
    return code


def _note(text: str) -> None:
    for pipe in _notes:
        with suppress(OSError):
            os.write(pipe, f"{text}\n".encode())


def _print_ended() -> None:
    print_message(with_code(ENDED, "ray"))


class _Parent:
    def __init__(self, child: int, reader: int, others: set[int], tell: Callable[[], None]) -> None:
        """Args:
        child: the child.
        reader: what it notes.
        others: children that have nothing to do with it.
        tell: called if Ray has ended the child.
        """
        self._child, self._reader, self._others, self._tell = child, reader, others, tell
        self._notes = b""
        self._status: int | None = None

    def wait(self) -> int:
        """Wait for the child, end what is left of it, and return the exit code."""
        ends_by: float | None = None
        while not self._has_ended():
            self._pass_signals_on()
            self._read()
            if ends_by is None and self._code() is not None:
                ends_by = time.monotonic() + EXIT_S
            if ends_by is not None and time.monotonic() > ends_by:
                os.kill(self._child, signal.SIGKILL)
        self._read()
        self._end_rest()
        for line in self._notes.decode("utf-8", "surrogateescape").splitlines():
            if line.startswith("folder "):
                remove_tree(Path(line[7:]))
        return self._exit_code()

    def _exit_code(self) -> int:
        code, status = self._code(), os.waitstatus_to_exitcode(self._status or 0)
        if code is not None and code >= 0:
            return code
        if status == TEST_FAILED and code is None:
            self._tell()
            return ExitCode.errors
        if status < 0 and code is None:  # somebody has killed the child
            signal.signal(-status, signal.SIG_DFL) if -status != signal.SIGKILL else None
            os.kill(os.getpid(), -status)
        return ExitCode.errors if status < 0 else status

    def _code(self) -> int | None:
        """Return the exit code that the child has noted; -1 for an error; None before its end."""
        for line in self._notes.splitlines():
            if line.startswith(b"code "):
                return int(line[5:])
            if line == b"error":
                return -1
        return None

    def _has_ended(self) -> bool:
        pid, status = os.waitpid(self._child, os.WNOHANG)
        if pid:
            self._status = status
        return bool(pid)

    def _pass_signals_on(self) -> None:
        """Wait a moment for a signal, and pass on one that only this process got."""
        info = signal.sigtimedwait(_SIGNALS, POLL_S)
        if info is not None and info.si_code != _BY_KERNEL:
            os.kill(self._child, info.si_signo)

    def _read(self) -> None:
        while select.select([self._reader], (), (), 0)[0]:
            block = os.read(self._reader, 4096)
            if not block:
                return
            self._notes += block

    def _end_rest(self) -> None:
        """End what the child has left behind, which now belongs to this process."""
        until = time.monotonic() + REST_S
        while rest := [pid for pid in _children() if pid not in self._others]:
            for pid in rest:
                with suppress(OSError):
                    if time.monotonic() > until:
                        os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(POLL_S)


def _children(thread: int | None = None) -> list[int]:
    """Return the child processes of this one, with those that wait to be waited for.

    Args:
        thread: the thread that has started them; None for the main one, which also gets orphans.
    """
    pid = os.getpid()
    try:
        children = Path(f"/proc/{pid}/task/{thread or pid}/children").read_text()
    except OSError:  # the kernel doesn't tell
        return []
    return [int(child) for child in children.split()]


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _name(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def _prctl(option: int, value: int) -> bool:
    import ctypes

    return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)
