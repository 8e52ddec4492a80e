"""A started child process and its end: that of the process, and of all that it has started."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress

from lve.child.child_command import child_command

PROOF_S = 20.0
"""Seconds to wait for the end of killed processes. The kernel can keep one for longer: in a system
call on a disk that doesn't answer."""
_MAX_REPORT_BYTES = 4096
_BOX, _ENDED = b"box ", b"ended "


class Started:
    """A process with pipes, in a process group of its own.

    With a supervisor (`lve.child.supervisor`), the process that was started is the supervisor, and
    the box that it forks runs the code.

    Attributes:
        process: the process that was started.
    """

    def __init__(self, module: str, environment: Mapping[str, str], *, supervised: bool) -> None:
        """Start the process.

        Args:
            module: the module whose `main` runs in it.
            environment: its environment variables.
            supervised: whether it gets a supervisor; only Linux has one.

        Raises:
            OSError: it can't be started.
        """
        self._lifeline: socket.socket | None
        """The connection to the supervisor. Unlike the number of a handle, it can't be that of
        another file after it was closed by another thread."""
        self.is_supervised = supervised and sys.platform == "linux"
        self._reports = b""
        self._telling = threading.Lock()
        self._parent = os.getpid()
        self._pipe, self._lifeline = -1, None
        theirs = self._make_lifeline()
        try:
            self.process = subprocess.Popen(
                child_command(module, theirs),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(environment),
                pass_fds=(theirs,) if theirs >= 0 else (),
                start_new_session=True,
            )
        except BaseException:
            self._close_lifeline()
            raise
        finally:
            if theirs >= 0:
                os.close(theirs)

    def _make_lifeline(self) -> int:
        """Make what closes when lve ends, and return the child's end; -1 on Windows."""
        if self.is_supervised:
            theirs, self._lifeline = socket.socketpair()
            return theirs.detach()
        if os.name != "posix":
            return -1
        handle, self._pipe = os.pipe()
        return handle

    @property
    def group(self) -> int | None:
        """The process group in which the code runs; None if it hasn't started or isn't there."""
        if not self.is_supervised:
            return self.process.pid
        self._listen(0)
        return self._reported(_BOX)

    @property
    def exit_code(self) -> int:
        """How the process has ended, as `subprocess.Popen.returncode`. Only after `wait`."""
        code = self._reported(_ENDED) if self.is_supervised else None
        return self.process.returncode if code is None else code

    @property
    def has_all_ended(self) -> bool:
        """Whether everything that the process started has surely ended. Only after `wait`."""
        return (
            not self.is_supervised
            or self._reported(_ENDED) is not None
            or (self._reported(_BOX) is None and self.process.returncode is not None)
        )

    def kill(self) -> None:
        """Kill the process and all processes that it started. Safe to call from another thread or a
        signal handler."""
        if os.getpid() != self._parent:  # in a fork of lve, the process is somebody else's child
            return
        lifeline = self._lifeline
        with suppress(OSError):
            if os.name != "posix":
                self.process.kill()
            elif self.process.returncode is not None:  # its number may be another's
                return
            elif self.is_supervised and lifeline is not None:
                # Before the supervisor is there, the signal ends the process; later it is heard.
                os.kill(self.process.pid, signal.SIGTERM)
                lifeline.send(b"\n", getattr(socket, "MSG_DONTWAIT", 0))
            else:
                os.killpg(self.process.pid, signal.SIGKILL)

    def wait_by_itself(self, longest_s: float) -> None:
        """Wait a moment for the process to end by itself, because its own exit code says more than
        that of `kill`. It isn't reaped yet: its process group must still exist, so that `kill` can
        kill the processes that it started."""
        if self.is_supervised:
            self._listen(longest_s)
            return
        if not hasattr(os, "waitid"):
            return
        until = time.monotonic() + longest_s
        how = os.WEXITED | os.WNOHANG | os.WNOWAIT
        with suppress(ChildProcessError):
            while time.monotonic() < until and os.waitid(os.P_PID, self.process.pid, how) is None:
                time.sleep(0.002)

    def wait(self) -> None:
        """Wait for the end of a process that was killed, and of all that it started; with a
        supervisor for at most `PROOF_S`. Without one, the process group gets no other chance."""
        if self.is_supervised:
            self._listen(PROOF_S)
            is_stuck = self._reported(_BOX) is not None and self._reported(_ENDED) is None
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(0.1 if is_stuck else PROOF_S)
        else:
            self.process.wait()
        self._close_lifeline()

    def _listen(self, longest_s: float) -> None:
        """Read what the supervisor tells, until it has ended or the time is over."""
        if not self._telling.acquire(timeout=longest_s):
            return
        try:
            until = time.monotonic() + longest_s
            while (lifeline := self._lifeline) is not None:
                try:
                    lifeline.settimeout(max(0.0, until - time.monotonic()))
                    report = lifeline.recv(_MAX_REPORT_BYTES)
                except OSError:  # nothing more in time, or it was closed meanwhile
                    return
                if not report or len(self._reports) > _MAX_REPORT_BYTES:
                    return
                self._reports += report
        finally:
            self._telling.release()

    def _reported(self, beginning: bytes) -> int | None:
        *lines, _ = self._reports.split(b"\n")
        for line in lines:
            if line.startswith(beginning):
                return int(line.removeprefix(beginning))
        return None

    def _close_lifeline(self) -> None:
        lifeline, self._lifeline = self._lifeline, None
        if lifeline is not None:
            lifeline.close()
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
