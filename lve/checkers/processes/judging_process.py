"""The parent's side of a process in which a checker judges. It can be killed at any time."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from lve.checkers.contract import Verdict
from lve.checkers.processes.wire import verdict_from_json
from lve.child.answers import SHORT, AnswerLimits
from lve.child.child_process import Child, ChildEndedError
from lve.errors import CheckerError, MissingExtraError
from lve.escape import excerpt
from lve.settings.trusted_file import CodeRights

MAX_CRASHES = 3
"""Crashes in a row after which a checker is not run any more."""
MAX_ERROR_CHARACTERS = 10_000
"""Longest error message of a checker. It may contain whole answers."""
START_LIMIT_S = 120.0
"""Seconds for running the file and making the checker; some load models."""
MAX_RUNNING = 16
"""The most processes at once. Another one replaces the one that has been idle longest."""


class ProcessEndedError(CheckerError, code="checker_process"):
    """A checker's process has ended or was killed."""


class CrashCounter:
    """Counts the crashes in a row of a process that judges for one test."""

    def __init__(self, name: str) -> None:
        """Args:
        name: the checker's name in messages.
        """
        self._name = name
        self._count = 0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count a crash if the block raises ProcessEndedError; reset the count if it succeeds.

        Raises:
            CheckerError: there have been `MAX_CRASHES` crashes in a row. The block doesn't run.
        """
        if self._count >= MAX_CRASHES:
            raise CheckerError(
                f"{self._name}: not run any more, its process ended {self._count} times in a row",
                code="checker_process",
            )
        try:
            yield
        except ProcessEndedError:
            self._count += 1
            raise
        self._count = 0


def check_installed(answer: Mapping[str, Any]) -> None:
    """Check the process' answer to a request that makes a checker.

    Raises:
        MissingExtraError: the checker needs a package or a model that is not installed.
    """
    if answer.get("missing"):
        raise MissingExtraError(excerpt(answer["missing"], MAX_ERROR_CHARACTERS))


class JudgingProcess:
    """A process in which a checker judges. It starts on demand, restarts after a crash, and ends
    for good with `stop`.

    Attributes:
        name: the name in messages.
    """

    def __init__(
        self,
        name: str,
        *,
        module: str,
        load: Mapping[str, Any],
        limit_s: float,
        rights: CodeRights,
    ) -> None:
        """Args:
        name: the name in messages.
        module: the module whose `main` answers requests in the process.
        load: the first request to every new process; it loads the checker.
        limit_s: seconds for one judgement.
        rights: what the process may do.
        """
        self.name = name
        self.is_stopped = False
        self.last_used = 0.0
        self._module = module
        self._load = load
        self._limit_s = limit_s
        self._rights = rights
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._end_child: weakref.finalize[..., Any] | None = None
        _PROCESSES.add(self)

    def loaded(self, answer: Mapping[str, Any]) -> None:
        """Handle the answer to the `load` request.

        Raises:
            MissingExtraError: a package is not installed.
        """

    def hint_for(self, why: str) -> str:
        """Return a hint about a process that has ended, in brackets; an empty text for none."""
        return ""

    def with_hint(self, error: str) -> str:
        """Return the checker's error message, followed by a hint if there is one."""
        return error

    @property
    def is_running(self) -> bool:
        """Whether the process is running."""
        return self._child is not None

    def stop(self) -> None:
        """Kill the process for good; waiting calls raise CheckerError. Safe to call from another
        thread or a signal handler."""
        self.is_stopped = True
        child = self._child
        if child is not None:
            child.kill()

    def rest(self) -> None:
        """End the process if it is idle. It restarts on demand."""
        if self._lock.acquire(blocking=False):
            try:
                self._drop()
            finally:
                self._lock.release()

    def ask(
        self,
        request: Mapping[str, Any] | None = None,
        *,
        limit_s: float | None = None,
        limits: AnswerLimits = SHORT,
    ) -> dict[str, Any]:
        """Return the process' answer to a request, starting it if necessary.

        Args:
            request: JSON values; None only starts the process.
            limit_s: seconds to wait; None waits as long as for a judgement.
            limits: how large the answer may be.

        Raises:
            CheckerError: the checker crashed, took too long, or ended its process.
            MissingExtraError: a package is not installed.
        """
        with self._lock:
            child = self._running()
            if request is None:
                return {}
            return self._ask(child, request, limit_s or self._limit_s, limits)

    def verdict_in(self, answer: Mapping[str, Any]) -> Verdict:
        """Return the verdict in `answer`, an answer of the process.

        Raises:
            CheckerError: the answer has no valid verdict.
        """
        try:
            return verdict_from_json(answer.get("verdict"))
        except ValueError as error:
            raise CheckerError(f"{self.name}: gave {error}", code="checker_code") from error

    def _running(self) -> Child:
        """Return the process, starting it if necessary."""
        if self._child is not None and not self.is_stopped:
            return self._child
        _make_room()
        self._child = child = self._new_child()
        try:
            self.loaded(self._ask(child, self._load, START_LIMIT_S))
        except (CheckerError, MissingExtraError):
            self._drop()
            raise
        return child

    def _new_child(self) -> Child:
        if self.is_stopped:
            raise CheckerError(f"{self.name}: stopped", code="stopped")
        try:
            child = Child(
                self._module,
                self._rights.env,
                shortest_s=min(self._limit_s, START_LIMIT_S),
                sandbox=self._rights.sandbox,
                memory_bytes=self._rights.memory_bytes,
            )
        except OSError as error:
            raise CheckerError(
                f"{self.name}: its process can't be started: {error}", code="checker_process"
            ) from error
        self._end_child = weakref.finalize(self, child.end)  # runs at exit, too
        return child

    def _ask(
        self,
        child: Child,
        request: Mapping[str, Any],
        limit_s: float,
        limits: AnswerLimits = SHORT,
    ) -> dict[str, Any]:
        if self.is_stopped:  # between the start of a process and here
            self._drop()
            raise CheckerError(f"{self.name}: stopped", code="stopped")
        self.last_used = time.monotonic()
        try:
            answer = child.ask(request, timeout_s=limit_s, limits=limits)
        except ChildEndedError as error:
            self._drop()
            if self.is_stopped:
                raise CheckerError(f"{self.name}: stopped", code="stopped") from error
            raise ProcessEndedError(f"{self.name} {error}{self.hint_for(str(error))}") from error
        except BaseException:
            self._drop()
            raise
        if "error" in answer:
            raise CheckerError(
                self.with_hint(excerpt(answer["error"], MAX_ERROR_CHARACTERS)), code="checker_code"
            )
        return answer

    def _drop(self) -> None:
        self._child = None
        if self._end_child is not None:
            self._end_child()


_PROCESSES: weakref.WeakSet[JudgingProcess] = weakref.WeakSet()


def stop_checkers() -> None:
    """Kill all processes. Safe to call from a signal handler."""
    for process in list(_PROCESSES):
        process.stop()


def _make_room() -> None:
    running = [process for process in list(_PROCESSES) if process.is_running]
    running.sort(key=lambda process: process.last_used)
    for process in running[: max(0, len(running) + 1 - MAX_RUNNING)]:
        process.rest()
