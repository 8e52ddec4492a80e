"""A built-in checker and the process in which it judges, which checkers with a model share."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping
from pathlib import Path

from lve.checkers.builtin_checker import BuiltinChecker
from lve.checkers.processes.judging_process import START_LIMIT_S, JudgingProcess, check_installed
from lve.checkers.processes.wire import packed
from lve.child.answers import SHORT, AnswerLimits
from lve.child.helper import CrashCounter
from lve.settings.trusted_file import CodeRights

MEMORY_BYTES = 2_000_000_000
"""Memory for judging, on top of what the process uses at its start."""
_SHARED: weakref.WeakValueDictionary[str | type[BuiltinChecker], JudgingProcess] = (
    weakref.WeakValueDictionary()
)
"""Processes with a model, by `shares_process` or the checker's class. All tests share them."""
_KEPT: list[JudgingProcess] = []
"""The shared process that a test asked for last, to the end of lve's own process: under pytest one
test ends before the next begins, and each would load the libraries and the model once more."""
_SHARED_LOCK = threading.Lock()
"""Tests start in several threads; only one of them may start a shared process."""


class CheckerProcess:
    """A checker with its arguments, in a process.

    Attributes:
        process: the process, which starts when it is first asked.
    """

    def __init__(
        self, kind: type[BuiltinChecker], args: Mapping[str, object], folder: Path
    ) -> None:
        """Args:
        kind: the checker's class.
        args: its arguments, as the test document has them.
        folder: the test's folder.

        Raises:
            CheckerError: an argument can't be sent to a process.
        """
        self._config = packed((kind.shown_name(), dict(args), folder))
        self.process = _process_for(kind, self._config)
        self._crashes = CrashCounter()

    def load(self) -> None:
        """Start the process and load the checker's models and libraries.

        Raises:
            CheckerError: loading fails.
            MissingExtraError: a package or a model is not installed.
        """
        check_installed(self.ask("make", limit_s=START_LIMIT_S))

    def ask(
        self,
        do: str,
        what: object = None,
        *,
        limit_s: float | None = None,
        limits: AnswerLimits = SHORT,
    ) -> dict[str, object]:
        """Return the process' answer to a request about the checker.

        Args:
            do: the kind of request.
            what: what it is about.
            limit_s: the time limit in seconds; None: the checker's own.
            limits: of the answer's size.

        Raises:
            CheckerError: it takes too much time or memory, or the process has ended.
        """
        request = {"do": do, "config": self._config, "what": packed(what)}
        return self.process.ask(request, limit_s=limit_s, limits=limits, crashes=self._crashes)


def _process_for(kind: type[BuiltinChecker], config: str) -> JudgingProcess:
    """Return a process for a checker, not started yet.

    Checkers with a model share their process. Its memory is not limited, as the model's size is
    unknown.
    """
    key = kind.shares_process or kind
    with _SHARED_LOCK:
        shared = _SHARED.get(key)
        if shared is not None and not shared.is_stopped:
            _KEPT[:] = [shared]
            return shared
        only = None if kind.needs_model else config
        process = JudgingProcess(
            "judging this answer",  # a verdict names the checker itself
            module="lve.checkers.builtin_child",
            load={"do": "begin", "config": only, "memory": MEMORY_BYTES},
            limit_s=kind.limit_s,
            rights=CodeRights(sandbox=None, memory_bytes=None),  # lve's own code, or a plugin's
        )
        if kind.needs_model:
            _SHARED[key] = process
            _KEPT[:] = [process]
        return process
