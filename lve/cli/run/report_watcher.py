"""Shows a run while it is going on: results, warnings, and the progress with its numbers."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from threading import Thread

from lve.cli.printing import print_message, warn
from lve.cli.run.progress import ProgressFacts, ProgressLine
from lve.escape import one_line
from lve.pipeline.engine import Engine
from lve.pipeline.row_totals import RowTotals
from lve.pipeline.run_of_test import TestRun
from lve.pipeline.session import Session, Watcher
from lve.reporting import Reporter
from lve.sessions.instance_result import InstanceResult

MAX_FAILURE_COLUMNS = 60
"""The cause of retries is cut to so many columns in the progress line."""


class SessionProgress:
    """Shows the progress of a session. The instances to run are counted meanwhile, in a thread."""

    def __init__(self, session: Session, *, plain: bool) -> None:
        """Args:
        session: that is running.
        plain: whether stderr is no terminal.
        """
        self._session = session
        self._total: int | None = None
        done = sum(session.summary.results().values())
        self._line = ProgressLine(
            lambda: facts_of(session, self._total), already_done=done, plain=plain
        )
        Thread(target=self._count, daemon=True).start()

    def _count(self) -> None:
        self._total = RowTotals(self._session).total()

    def update(self) -> None:
        """Draw the line, at most once per interval."""
        self._line.update()

    def clear(self) -> None:
        """Erase the line."""
        self._line.clear()


def facts_of(session: Session, total: int | None) -> ProgressFacts:
    """Return the numbers of a session for its progress line. `total` is the number of instances, if
    it is known."""
    counts = session.summary.results()
    facts = ProgressFacts(
        done=sum(counts.values()),
        total=total,
        passed=counts["passed"],
        failed=counts["failed"],
        expected_failures=session.summary.expected_failures(),
        errors=counts["error"],
        inconclusive=counts["inconclusive"],
    )
    _add_traffic(facts, session.engine)
    return facts


def _add_traffic(facts: ProgressFacts, engine: Engine) -> None:
    """Add tokens, cost, concurrency, and why requests wait, summed over all models."""
    limited = 0
    retrying: Counter[str] = Counter()
    for completer in engine.models.completers.values():
        traffic, limits = completer.traffic, completer.limits
        facts.tokens += traffic.prompt_tokens + traffic.completion_tokens
        facts.cost = (facts.cost or 0.0) + traffic.cost
        facts.in_flight += limits.in_flight
        facts.limit += int(limits.concurrency.limit)
        facts.maximum += limits.concurrency.maximum
        retrying[one_line(traffic.last_failure, MAX_FAILURE_COLUMNS)] += traffic.waiting_for_retry
        limited += limits.waiting_for_rate
    facts.waits = {**retrying, "rate limit of the settings": limited}


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
