"""Runs a built-in checker in another process, which can be killed when it takes too long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lve.checkers.contract import CheckContext, Verdict
from lve.child.answers import limits_for_text
from lve.errors import CheckerError

if TYPE_CHECKING:
    from lve.checkers.builtin_checker import BuiltinChecker
    from lve.checkers.processes.checker_process import CheckerProcess

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
            from lve.checkers.processes.checker_process import CheckerProcess  # late: few start one

            self._process = CheckerProcess(self._kind, self._args, self._folder)
        return self._process
