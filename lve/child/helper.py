"""Helpers: child processes that start when they are first asked, and again after they have ended.

A checker's code, a tool of a test and a chat template each run in one. A helper that may fail or
hang on any request is given up after a few crashes in a row, and can be stopped at any time.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Mapping
from typing import Any

from lve.child.answers import SHORT, AnswerLimits
from lve.child.child_process import Child, ChildEndedError
from lve.settings.trusted_file import CodeRights

MAX_CRASHES = 3
"""Crashes in a row after which a helper isn't asked any more."""
MAX_RUNNING = 16
"""Most processes of a group at once."""


class HelperStoppedError(Exception):
    """The helper was stopped for good."""


class CrashedTooOftenError(Exception):
    """The process has ended `MAX_CRASHES` times in a row, and isn't started any more."""


class CrashCounter:
    """Counts the crashes in a row of a helper, as one of its users has seen them."""

    def __init__(self) -> None:
        self.count = 0

    def check(self) -> None:
        """Raise CrashedTooOftenError if there have been too many crashes in a row."""
        if self.count >= MAX_CRASHES:
            raise CrashedTooOftenError


class HelperGroup:
    """Helpers of which only so many run at once. One that starts replaces the one that has been
    idle longest.

    Attributes:
        most: how many may run at once.
    """

    def __init__(self, most: int = MAX_RUNNING) -> None:
        self.most = most
        self._helpers: weakref.WeakSet[Helper] = weakref.WeakSet()

    def add(self, helper: Helper) -> None:
        """Add a helper. The group doesn't keep it alive."""
        self._helpers.add(helper)

    def make_room(self) -> None:
        """End idle helpers until another one may start."""
        running = [helper for helper in list(self._helpers) if helper.is_running]
        running.sort(key=lambda helper: helper.last_used)
        for helper in running[: max(0, len(running) + 1 - self.most)]:
            helper.rest()

    def stop(self) -> None:
        """Stop all helpers for good. Safe to call from a signal handler."""
        for helper in list(self._helpers):
            helper.stop()


class Helper:
    """A process that answers one request at a time. It starts on demand, restarts after a crash,
    and ends for good with `stop`.

    Attributes:
        is_stopped: whether it was stopped for good.
        last_used: when it was last asked, on the monotonic clock.
    """

    def __init__(
        self,
        module: str,
        *,
        load: Mapping[str, object],
        limit_s: float,
        start_limit_s: float,
        rights: CodeRights,
        group: HelperGroup | None = None,
    ) -> None:
        """Args:
        module: the module whose `main` answers requests in the process.
        load: the first request to every new process.
        limit_s: seconds for one request.
        start_limit_s: seconds for `load`.
        rights: what the process may do.
        group: with which other helpers it shares the number of processes; None: with none.
        """
        self.is_stopped = False
        self.last_used = 0.0
        self._module = module
        self._load = load
        self._limit_s = limit_s
        self._start_limit_s = start_limit_s
        self._rights = rights
        self._group = group
        self._lock = threading.Lock()
        self._own_crashes = CrashCounter()
        self._child: Child | None = None
        self._end_child: weakref.finalize[..., Any] | None = None
        if group is not None:
            group.add(self)

    def loaded(self, answer: Mapping[str, object]) -> None:
        """Look at the answer to the `load` request. If this raises, the process is ended."""

    @property
    def is_running(self) -> bool:
        """Whether the process is running."""
        return self._child is not None

    def stop(self) -> None:
        """Kill the process for good; waiting calls raise HelperStoppedError. Safe to call from
        another thread or a signal handler."""
        self.is_stopped = True
        child = self._child
        if child is not None:
            child.kill()

    def close(self) -> None:
        """Stop, and wait until the process has ended and its pipes are closed."""
        self.stop()
        with self._lock:
            self._drop()

    def rest(self) -> None:
        """End the process if it is idle. It restarts on demand."""
        if self._lock.acquire(blocking=False):
            try:
                self._drop()
            finally:
                self._lock.release()

    def request(
        self,
        request: Mapping[str, object] | None = None,
        *,
        limit_s: float | None = None,
        limits: AnswerLimits = SHORT,
        crashes: CrashCounter | None = None,
    ) -> dict[str, Any]:
        """Return the process' answer to a request, starting it if necessary.

        Args:
            request: JSON values; None only starts the process.
            limit_s: seconds to wait; None waits as long as the helper's limit.
            limits: how large the answer may be.
            crashes: the asking user's counter, where a helper has several; None: its own.

        Raises:
            ChildEndedError: the process took too long or ended; the message says why.
            CrashedTooOftenError: it did so `MAX_CRASHES` times in a row; it isn't asked.
            HelperStoppedError: it was stopped for good.
            OSError: it can't be started.
            Exception: whatever `loaded` raises.
        """
        crashes = crashes or self._own_crashes
        with self._lock:
            crashes.check()
            try:
                child = self._running()
                answer = {} if request is None else self._ask(child, request, limit_s, limits)
            except ChildEndedError:
                crashes.count += 1
                raise
            crashes.count = 0
            return answer

    def _running(self) -> Child:
        """Return the process, starting it if necessary."""
        if self._child is not None and not self.is_stopped:
            return self._child
        if self._group is not None:
            self._group.make_room()
        self._check_running()
        self._child = child = self._started()
        self._end_child = weakref.finalize(self, child.end)  # runs at exit, too
        try:
            self.loaded(self._ask(child, self._load, self._start_limit_s, SHORT))
        except BaseException:
            self._drop()
            raise
        return child

    def _started(self) -> Child:
        return Child(
            self._module,
            self._rights.env,
            shortest_s=min(self._limit_s, self._start_limit_s),
            sandbox=self._rights.sandbox,
            memory_bytes=self._rights.memory_bytes,
        )

    def _ask(
        self,
        child: Child,
        request: Mapping[str, object],
        limit_s: float | None,
        limits: AnswerLimits,
    ) -> dict[str, object]:
        self.last_used = time.monotonic()
        try:
            self._check_running()  # it may have been stopped while it started
            return child.ask(request, timeout_s=limit_s or self._limit_s, limits=limits)
        except ChildEndedError:
            self._drop()
            self._check_running()  # it may have ended because it was stopped
            raise
        except BaseException:
            self._drop()
            raise

    def _check_running(self) -> None:
        if self.is_stopped:
            raise HelperStoppedError

    def _drop(self) -> None:
        self._child = None
        if self._end_child is not None:
            self._end_child()
