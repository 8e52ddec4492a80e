"""A custom checker as the rest of lve sees it: it judges in a process of its own.

Tests that use the same class with the same arguments share a process. It is started when it is
needed, started again when it has ended, and ended with the last test that uses it.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lve.checkers.base import CheckContext, Verdict
from lve.checkers.child_process import Child, ChildEndedError, child_environment
from lve.checkers.child_wire import context_to_json, verdict_from_json
from lve.checkers.custom import CustomChecker
from lve.errors import CheckerError, MissingExtraError

LIMIT_S = 60.0
"""Seconds for one judgement, where the test has no `timeout_s`."""
START_LIMIT_S = 120.0
"""Seconds for running the file, and for making the checker: some load models."""
MAX_DEATHS = 3
"""So many processes in a row may end before a checker is given up."""
MAX_RUNNING = 16
"""So many processes are kept; the one that has had nothing to do for longest makes room."""


class CheckerProcess:
    """One class with one set of arguments.

    Attributes:
        redacts: whether it may change answers before they are written; known once it has started.
    """

    def __init__(self, found: CustomChecker, *, limit_s: float, env: tuple[str, ...]) -> None:
        """Args:
        found: the class. It must be trusted.
        limit_s: seconds for one judgement.
        env: names of environment variables that it may see besides the usual ones.
        """
        self.redacts = True
        self.is_stopped = False
        self.last_used = 0.0
        self._found = found
        self._limit_s = limit_s
        self._env = env
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._end_child: weakref.finalize[..., Any] | None = None
        self._deaths = 0

    @property
    def is_running(self) -> bool:
        """Whether there is a process."""
        return self._child is not None

    def start(self, args: Mapping[str, Any] | None) -> None:
        """Run the file, and make the checker unless `args` is None.

        Raises:
            CheckerError: that fails.
            MissingExtraError: it imports a package that is not installed.
        """
        with self._lock:
            child = self._running()
            if args is not None:
                self._ask(child, {"do": "make", "args": args}, START_LIMIT_S)

    def check(self, args: Mapping[str, Any], context: CheckContext) -> Verdict:
        """Return the verdict on an instance.

        Raises:
            CheckerError: the checker crashed, took too long, or ended its process.
        """
        answer = self._judge({"do": "check", "args": args, "context": context_to_json(context)})
        try:
            return verdict_from_json(answer.get("verdict"))
        except ValueError as error:
            raise CheckerError(f"{self._name}: gave {error}") from error

    def redact(self, args: Mapping[str, Any], text: str) -> str:
        """Return a text as it may be written.

        Raises:
            CheckerError: as for `check`.
        """
        answer = self._judge({"do": "redact", "args": args, "text": text}).get("text")
        if not isinstance(answer, str):
            raise CheckerError(f"{self._name}: redaction gave no text")
        return answer

    def stop(self) -> None:
        """End the process, for good; who waits for it gets an error. May be called from anywhere:
        from another thread, from a signal handler."""
        self.is_stopped = True
        child = self._child
        if child is not None:
            child.kill()

    def rest(self) -> None:
        """End the process if it has nothing to do. It starts again when it is needed."""
        if self._lock.acquire(blocking=False):
            try:
                self._drop()
            finally:
                self._lock.release()

    @property
    def _name(self) -> str:
        return f"{self._found.file}: {self._found.name}"

    def _judge(self, request: Mapping[str, Any]) -> dict[str, Any]:
        with self._lock:
            answer = self._ask(self._running(), request, self._limit_s)
            self._deaths = 0
            return answer

    def _running(self) -> Child:
        """Return the process, started if there is none."""
        if self._child is not None and not self.is_stopped:
            return self._child
        if self._deaths >= MAX_DEATHS:
            raise CheckerError(
                f"{self._name}: not run any more, its process ended {self._deaths} times in a row"
            )
        _make_room()
        self._child = child = self._new_child()
        found = self._found
        source = found.source.decode("latin-1")  # bytes as text, one to one
        load = {"do": "load", "file": str(found.file), "name": found.name, "source": source}
        try:
            answer = self._ask(child, load, START_LIMIT_S)
            if answer.get("missing"):
                raise MissingExtraError(
                    f"{self._name} needs the Python package {str(answer['missing'])!r}, "
                    "which is not installed"
                )
            self.redacts = bool(answer.get("redacts"))
        except (CheckerError, MissingExtraError):
            self._drop()
            raise
        return child

    def _new_child(self) -> Child:
        if self.is_stopped:
            raise CheckerError(f"{self._name}: stopped")
        try:
            child = Child(self._env, shortest_s=min(self._limit_s, START_LIMIT_S))
        except OSError as error:
            raise CheckerError(f"{self._name}: its process can't be started: {error}") from error
        self._end_child = weakref.finalize(self, child.end)  # runs at exit, too
        return child

    def _ask(self, child: Child, request: Mapping[str, Any], limit_s: float) -> dict[str, Any]:
        if self.is_stopped:  # between the start of a process and here
            self._drop()
            raise CheckerError(f"{self._name}: stopped")
        self.last_used = time.monotonic()
        try:
            answer = child.ask(request, timeout_s=limit_s)
        except ChildEndedError as error:
            self._drop()
            if self.is_stopped:
                raise CheckerError(f"{self._name}: stopped") from error
            self._deaths += 1
            raise CheckerError(f"{self._name} {error}{_advice(str(error))}") from error
        except BaseException:
            self._drop()
            raise
        if "error" in answer:
            raise CheckerError(f"{answer['error']}{self._hidden_variable(str(answer['error']))}")
        return answer

    def _drop(self) -> None:
        self._child = None
        if self._end_child is not None:
            self._end_child()

    def _hidden_variable(self, error: str) -> str:
        """Say what to do if an error is about a variable that checkers don't get to see."""
        names = set(re.findall(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b", error))
        hidden = sorted(
            (names & os.environ.keys()) - child_environment(os.environ, self._env).keys()
        )
        if not hidden:
            return ""
        return (
            f" (custom checkers don't see {hidden[0]}; to show it to this one, add"
            f" `env: [{hidden[0]}]` to the file's entry under `trust` in the settings)"
        )


@dataclass(frozen=True, slots=True)
class ChildChecker:
    """A custom checker with its arguments, behind the same two methods as the built-in ones."""

    process: CheckerProcess
    args: Mapping[str, Any]

    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict.

        Raises:
            CheckerError: as `CheckerProcess.check`.
        """
        return self.process.check(self.args, context)

    def postprocess_response(self, response: str) -> str:
        """Return the response as it may be written.

        Raises:
            CheckerError: as `CheckerProcess.redact`.
        """
        return self.process.redact(self.args, response) if self.process.redacts else response


_Key = tuple[Path, str, bytes, str, float, tuple[str, ...]]
_PROCESSES: weakref.WeakValueDictionary[_Key, CheckerProcess] = weakref.WeakValueDictionary()


def checker_process(
    found: CustomChecker,
    args: Mapping[str, Any],
    *,
    limit_s: float | None = None,
    env: tuple[str, ...] = (),
) -> CheckerProcess:
    """Return the process for a class and a test's arguments for it, not started yet.

    Args:
        found: the class. It must be trusted.
        args: as the test has them.
        limit_s: seconds for one judgement; `LIMIT_S` when None.
        env: names of environment variables that it may see besides the usual ones.
    """
    limit_s = limit_s or LIMIT_S
    written = json.dumps(args, default=str)
    key = (found.file, found.name, found.source, written, limit_s, env)
    process = _PROCESSES.get(key)
    if process is None or process.is_stopped:
        process = _PROCESSES[key] = CheckerProcess(found, limit_s=limit_s, env=env)
    return process


def stop_checkers() -> None:
    """End all processes at once. May be called from a signal handler."""
    for process in list(_PROCESSES.values()):
        process.stop()


def _make_room() -> None:
    running = [process for process in list(_PROCESSES.values()) if process.is_running]
    running.sort(key=lambda process: process.last_used)
    for process in running[: max(0, len(running) + 1 - MAX_RUNNING)]:
        process.rest()


def _advice(why: str) -> str:
    if why.startswith("took longer"):
        return " (a test's `timeout_s` sets the limit)"
    if why.startswith("ended"):
        return " (a checker returns a verdict or raises; it must not end Python)"
    return ""
