"""Shows a run while it is going on: results, progress, warnings."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from lve.cli.printing import print_message, warn
from lve.pipeline.run_of_test import TestRun
from lve.pipeline.session import Session, Watcher
from lve.reporting import Reporter
from lve.sessions.instance_result import InstanceResult

if TYPE_CHECKING:
    from lve.cli.run.progress import SessionProgress

PLAIN_AFTER_S = 1.0
"""Without a terminal, progress starts after this time: a shorter run doesn't need it."""


class ReportWatcher(Watcher):
    """Passes results on to a reporter, and shows progress on stderr."""

    def __init__(
        self,
        reporter: Reporter,
        *,
        reports_earlier: bool,
        shows_progress: bool,
        shows_instances: bool = False,
    ) -> None:
        """Args:
        reporter: writes results to stdout.
        reports_earlier: whether to report the results of the session before it was resumed, too.
        shows_progress: whether to show progress: on a terminal one line that is redrawn,
            elsewhere a line every few seconds.
        shows_instances: whether the reporter prints every instance on a terminal; the progress
            line is erased before each then.
        """
        self._reporter = reporter
        self._reports_earlier = reports_earlier
        self._shows_progress = shows_progress
        self._shows_instances = shows_instances
        self._session: Session | None = None
        self._started = 0.0
        self._line: SessionProgress | None = None
        self._warned: set[str] = set()

    def on_start(self, session: Session) -> None:
        self._session = session
        self._started = time.monotonic()
        if self._shows_progress and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            self._open_line(session, plain=False)

    def _open_line(self, session: Session, *, plain: bool) -> None:
        from lve.cli.run.progress import SessionProgress  # late: few runs take so long

        self._line = SessionProgress(session, plain=plain)

    def on_result(self, test_run: TestRun, result: InstanceResult) -> None:
        if self._shows_instances:  # checked first: this runs for every instance
            self.close()
        self._reporter.on_result(result, test_run.tally.expect)

    def on_previous_result(self, test_run: TestRun, result: InstanceResult) -> None:
        if self._reports_earlier:
            self.on_result(test_run, result)

    def on_done(self, test_run: TestRun) -> None:
        self.close()
        self._reporter.on_tally(test_run.tally)

    def on_tick(self) -> None:
        if self._line is not None:
            self._line.update()
        elif self._shows_progress and time.monotonic() - self._started > PLAIN_AFTER_S:
            assert self._session is not None
            self._open_line(self._session, plain=True)

    def say(self, text: str) -> None:
        """Print a message at once."""
        self.close()
        print_message(text)

    def warn(self, text: str) -> None:
        """Print a warning, before or during the run. The same warning is printed only once."""
        if text not in self._warned:
            self._warned.add(text)
            self.close()
            warn(text)

    def close(self) -> None:
        """Erase the progress line."""
        if self._line is not None:
            self._line.clear()
