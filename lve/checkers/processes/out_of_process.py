"""Runs a built-in checker in another process, which can be killed when it takes too long."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from lve.checkers.builtin_checker import BuiltinChecker
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.processes.judging_process import START_LIMIT_S, JudgingProcess, check_installed
from lve.checkers.processes.wire import packed
from lve.child.answers import SHORT, AnswerLimits, limits_for_text
from lve.child.helper import CrashCounter
from lve.errors import CheckerError
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


MAX_EXCEEDED = 3
"""Judgements in a row that may exceed their limits before no more are tried. Otherwise a data set
of a million rows could take half a second per row, all for errors."""


class OutOfProcessChecker:
    """Judges with one built-in checker in another process, which starts on first use."""

    def __init__(
        self, kind: type[BuiltinChecker], args: Mapping[str, object], folder: Path
    ) -> None:
        """Args:
        kind: the checker's class.
        args: its arguments, as the test document has them.
        folder: the test's folder.
        """
        self._kind = kind
        self._args = args
        self._folder = folder
        self._process: CheckerProcess | None = None
        self._is_stopped = False
        self._exceeded = 0
        """How many judgements in a row have exceeded their limits."""

    def prepare(self) -> None:
        """Start the process and load the checker's models and libraries.

        Raises:
            CheckerError: loading fails.
            MissingExtraError: a package or a model is not installed.
        """
        self._running().load()

    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict, waiting for it.

        Raises:
            CheckerError: judging takes too much time or memory, the process has ended, or too many
                judgements in a row have exceeded their limits.
        """
        if self._exceeded >= MAX_EXCEEDED:
            raise CheckerError(
                "judging this answer: not tried any more, it took too long "
                f"{self._exceeded} times in a row",
                code="too_much_work",
            )
        # Not every mapping can be pickled.
        plain = replace(context, parameters=dict(context.parameters), args=dict(context.args))
        answer = self._running().ask("check", plain)
        self._exceeded = self._exceeded + 1 if answer.get("exceeded") else 0
        return self._running().process.verdict_in(answer)

    def postprocess(self, text: str) -> str:
        """Return `text` as the checker lets it be written.

        Raises:
            CheckerError: as for `check`, or the checker crashed.
        """
        limits = limits_for_text(len(text))
        answer = self._running().ask("postprocess", text, limits=limits).get("text")
        if not isinstance(answer, str):
            raise CheckerError("redaction gave no text", code="checker_code")
        return answer

    def stop(self) -> None:
        """Stop the process for good. Running and later requests raise CheckerError."""
        self._is_stopped = True
        if self._process is not None:
            self._process.process.stop()

    def _running(self) -> CheckerProcess:
        """Return the process, created if necessary."""
        if self._is_stopped:
            raise CheckerError("stopped", code="stopped")
        if self._process is None or self._process.process.is_stopped:
            self._process = CheckerProcess(self._kind, self._args, self._folder)
        return self._process
