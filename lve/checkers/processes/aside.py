"""Judging aside: in a process that can be ended, what may take longer than lve itself can wait.

Nothing gets into a call into C: no signal, no timer, no other thread. So lve's own process judges
only what is known to take a moment: a checker says how much work a judgement is, and expressions
pay for theirs. All else goes to a process of its own, with a deadline and a limit of its memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.limits import Limits
from lve.errors import CheckerError

if TYPE_CHECKING:
    from lve.checkers.builtin_checker import BuiltinChecker
    from lve.checkers.processes.builtin_process import BuiltinSide

SMALL_WORK = 5_000_000
"""Comparisons of characters, or as long: some milliseconds."""
HERE = Limits(units=50_000, regex_seconds=0.05, are_final=False)
"""What an evaluation may take in lve's own process: while it goes on, all else waits."""


class TooMuchHereError(Exception):
    """A judgement may take longer than lve's own process can wait. Nothing has happened, another
    process can do it."""


class Aside:
    """What judges for one built-in checker of a test in another process, started when needed."""

    def __init__(self, kind: type[BuiltinChecker], args: Mapping[str, Any], folder: Path) -> None:
        """Args:
        kind: the checker's class.
        args: as the test document has them.
        folder: the test's.
        """
        self._folder = folder
        self._kind = kind
        self._args = args
        self._side: BuiltinSide | None = None
        self._is_stopped = False

    def prepare(self) -> None:
        """Have the process load what takes long.

        Raises:
            CheckerError: that fails.
            MissingExtraError: a package or a model is not installed.
        """
        self._other_side().prepare()

    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict. Takes until it is there.

        Raises:
            CheckerError: it takes too long or too much memory, or the process has ended.
        """
        return self._other_side().check(context)

    def redact(self, text: str) -> str:
        """Return a text as it may be written.

        Raises:
            CheckerError: as for `check`, or the checker crashed.
        """
        return self._other_side().redact(text)

    def stop(self) -> None:
        """End the process, for good; who waits for it gets an error, and who asks later, too."""
        self._is_stopped = True
        if self._side is not None:
            self._side.process.stop()

    def _other_side(self) -> BuiltinSide:
        if self._is_stopped:
            raise CheckerError("stopped")
        if self._side is None or self._side.process.is_stopped:
            from lve.checkers.processes.builtin_process import BuiltinSide

            self._side = BuiltinSide(self._kind, self._args, self._folder)
        return self._side
