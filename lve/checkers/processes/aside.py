"""Runs a built-in checker of a test in another process, where it may take its time."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lve.checkers.contract import CheckContext, Verdict
from lve.errors import CheckerError

if TYPE_CHECKING:
    from lve.checkers.builtin_checker import BuiltinChecker
    from lve.checkers.processes.judging_process import Deaths, JudgingProcess

MAX_EXCEEDED = 3
"""A data set of a million rows must not take half a second for each, for nothing but errors."""
MEMORY_BYTES = 2_000_000_000
"""Memory for judging, on top of what the process uses when it begins."""
_SHARED: weakref.WeakValueDictionary[type[BuiltinChecker], JudgingProcess] = (
    weakref.WeakValueDictionary()
)
"""Processes that hold a model. All tests that use the class share one."""
_SHARING = threading.Lock()
"""Tests start in several threads: two must not both start the process that they share."""


class Aside:
    """Judges with one built-in checker in another process, which is started when it is needed."""

    def __init__(self, kind: type[BuiltinChecker], args: Mapping[str, Any], folder: Path) -> None:
        """Args:
        kind: the checker's class.
        args: as the test document has them.
        folder: the test's.
        """
        self._kind = kind
        self._args = args
        self._folder = folder
        self._config = ""
        self._process: JudgingProcess | None = None
        self._deaths: Deaths | None = None
        self._is_stopped = False
        self._exceeded = 0
        """So many judgements in a row have taken more than they may."""

    def prepare(self) -> None:
        """Have the process load what takes long.

        Raises:
            CheckerError: that fails.
            MissingExtraError: a package or a model is not installed.
        """
        from lve.checkers.processes.judging_process import START_LIMIT_S, check_installed

        check_installed(self._ask("make", limit_s=START_LIMIT_S))

    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict. This blocks until it is there.

        Raises:
            CheckerError: it takes too long or too much memory, or the process has ended; or so many
                judgements in a row took more than they may that no more are tried.
        """
        if self._exceeded >= MAX_EXCEEDED:
            raise CheckerError(
                "judging this answer: not tried any more, it took too long "
                f"{self._exceeded} times in a row",
                code="too_much_work",
            )
        # Not every mapping can be sent.
        plain = replace(context, parameters=dict(context.parameters), args=dict(context.args))
        answer = self._ask("check", plain)
        self._exceeded = self._exceeded + 1 if answer.get("exceeded") else 0
        return self._running()[0].verdict_in(answer)

    def redact(self, text: str) -> str:
        """Return a text as it may be written.

        Raises:
            CheckerError: as for `check`, or the checker crashed.
        """
        return str(self._ask("redact", text)["text"])

    def stop(self) -> None:
        """End the process for good. A request under way, or a later one, is an error."""
        self._is_stopped = True
        if self._process is not None:
            self._process.stop()

    def _ask(self, do: str, what: object = None, *, limit_s: float | None = None) -> dict[str, Any]:
        from lve.checkers.processes.wire import packed

        process, deaths = self._running()
        with deaths.counted():
            request = {"do": do, "config": self._config, "what": packed(what)}
            return process.ask(request, limit_s=limit_s)

    def _running(self) -> tuple[JudgingProcess, Deaths]:
        """Return the process, started if necessary, and the count of its deaths."""
        if self._is_stopped:
            raise CheckerError("stopped", code="stopped")
        if self._process is None or self._deaths is None or self._process.is_stopped:
            from lve.checkers.processes.judging_process import Deaths
            from lve.checkers.processes.wire import packed

            self._config = packed((self._kind.shown_name(), dict(self._args), self._folder))
            self._process = _process_for(self._kind, self._config)
            self._deaths = Deaths(self._process.name)
        return self._process, self._deaths


def _process_for(kind: type[BuiltinChecker], config: str) -> JudgingProcess:
    """Return a process for a checker, not started yet.

    Where several checkers share a model, its memory isn't limited: the model has to find room.
    """
    from lve.checkers.processes.judging_process import JudgingProcess
    from lve.settings.trusted_file import CodeRights

    with _SHARING:
        shared = _SHARED.get(kind)
        if shared is not None and not shared.is_stopped:
            return shared
        only = None if kind.needs_model else config
        process = JudgingProcess(
            "judging this answer",  # a verdict names the checker itself
            module="lve.checkers.builtin_child",
            load={"do": "begin", "config": only, "memory": MEMORY_BYTES},
            limit_s=kind.limit_s,
            rights=CodeRights(sandbox=None),  # lve's own code, or a plugin's
        )
        if kind.needs_model:
            _SHARED[kind] = process
        return process
