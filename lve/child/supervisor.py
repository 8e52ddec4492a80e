"""The supervisor of a sandboxed process: the process that lve starts, and that forks the sandbox.

A process that gets SIGKILL still finishes the system call that it is in, and lve isn't told when
the processes that it started end. So the child process forks before it enters its sandbox. The fork
(the box) becomes the leader of a group of its own and runs the code. This process stays outside as
the subreaper of the box: the system makes it the parent of everything that the box starts and
leaves. It kills the box when lve asks for it, when lve has ended, and when the box's leader has
ended. Then it waits until it has no child any more, which proves that all of the box has ended.

It tells lve over the lifeline, one line each: `box PID` before the box may go on, `ended CODE` when
all has ended. If lve is gone by then, it also removes the temporary folder.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_NEXT_S = 0.05
"""Seconds after which what left the group of the box is looked for again."""


def split(lifeline: int, pipes: tuple[int, ...], temporary: str | None) -> None:
    """Fork, and return only in the fork, which may enter its sandbox then. Linux only.

    Args:
        lifeline: a socket whose other end only lve has; the fork closes it.
        pipes: the pipes of requests and answers; the supervisor closes them.
        temporary: the temporary folder of the sandbox, if any.

    Raises:
        OSError: it fails. Then no untrusted code may run.
    """
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    for number in (*_ENDING, signal.SIGCHLD):
        signal.signal(number, _wake_up)
    gate, opened = os.pipe()
    supervisor = os.getpid()
    box = os.fork()
    if box:
        os.close(gate)
        _Supervisor(box, lifeline, woken, temporary).run(opened, pipes)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for handle in (woken, wake, opened, lifeline):
        os.close(handle)
    os.setsid()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # the only one that would end it is the supervisor
    if os.read(gate, 1) != b"\n" or os.getppid() != supervisor:
        os._exit(1)
    os.close(gate)


def _wake_up(number: int, frame: object) -> None:
    """Do nothing: the number of the signal is in the pipe."""


def _prctl(option: int, value: int) -> None:
    import ctypes

    if ctypes.CDLL(None).prctl(option, value, 0, 0, 0) != 0:
        raise OSError("the system takes no supervisor of processes")


class _Supervisor:
    def __init__(self, box: int, lifeline: int, woken: int, temporary: str | None) -> None:
        self._box = box
        self._lifeline = lifeline
        self._woken = woken
        self._temporary = temporary
        self._code: int | None = None
        """How the leader of the box has ended; None if it hasn't."""
        self._is_ending = False

    def run(self, gate: int, pipes: tuple[int, ...]) -> NoReturn:
        """Let the box go on, and end after all of it has ended."""
        try:
            self._tell(f"box {self._box}")
            os.write(gate, b"\n")
            os.close(gate)
            _close((*pipes, 0, 1, 2))
            self._await_end()
            if not self._tell(f"ended {self._code}"):
                self._remove()
        finally:
            os._exit(0)

    def _tell(self, line: str) -> bool:
        """Write a line to lve; return whether it is still there."""
        try:
            os.write(self._lifeline, line.encode() + b"\n")
        except OSError:
            return False
        return True

    def _await_end(self) -> None:
        waited = select.poll()
        waited.register(self._lifeline, select.POLLIN)
        waited.register(self._woken, select.POLLIN)
        while self._reap():
            if self._is_ending:
                self._kill()
            for handle, _ in waited.poll(int(_NEXT_S * 1000) if self._is_ending else None):
                if handle == self._woken:
                    self._is_ending |= not _ENDING_BYTES.isdisjoint(os.read(handle, 512))
                else:  # lve asks for the end, or has ended
                    self._is_ending = True
                    waited.unregister(handle)

    def _reap(self) -> bool:
        """Wait for what has ended; return whether there is more."""
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return False
            if ended is None:
                return True
            if ended.si_pid == self._box:
                self._is_ending = True
                self._kill()  # while the number of its group can't be another's yet
            _, status = os.waitpid(ended.si_pid, 0)
            if ended.si_pid == self._box:
                self._code = os.waitstatus_to_exitcode(status)

    def _kill(self) -> None:
        """Kill the group of the box, and what has left it where no layer of the sandbox prevents
        that."""
        if self._code is None:
            with suppress(OSError):
                os.killpg(self._box, signal.SIGKILL)
            return
        for child in _children():
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)

    def _remove(self) -> None:
        """Remove the temporary folder: lve isn't there to do it."""
        if self._temporary is not None:
            from lve.sandbox.removal import remove_tree

            remove_tree(self._temporary)


_ENDING_BYTES = frozenset(int(number) for number in _ENDING)


def _close(handles: tuple[int, ...]) -> None:
    """Close handles, or open nothing in the place of the standard ones."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for handle in handles:
        if handle <= 2:
            os.dup2(nothing, handle)
        else:
            os.close(handle)
    os.close(nothing)


def _children() -> list[int]:
    """Return the numbers of this process's children, which must have a single thread."""
    with suppress(OSError, ValueError):
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii")
        return [int(word) for word in text.split()]
    own, pids = str(os.getpid()), list[int]()
    for name in os.listdir("/proc") if sys.platform == "linux" else ():  # noqa: PTH208
        if name.isdigit():
            with suppress(OSError, IndexError):
                stat = Path(f"/proc/{name}/stat").read_text(encoding="latin-1")
                if stat.rpartition(")")[2].split()[1] == own:
                    pids.append(int(name))
    return pids
