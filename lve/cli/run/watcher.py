"""Shows a run while it goes on: reports, progress, warnings."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from threading import Thread
from typing import TYPE_CHECKING

from lve.cli.talk import tell, warn
from lve.escape import one_line
from lve.pipeline.engine import Engine
from lve.pipeline.result import RunResult
from lve.pipeline.run import Run
from lve.pipeline.run_of_test import TestRun
from lve.pipeline.session import Session, Watcher
from lve.reporting import Reporter
from lve.results.records import InstanceResult

if TYPE_CHECKING:
    from lve.cli.run.progress import ProgressFacts, ProgressLine

SHOWN_OF_FAILURE = 60
"""Most characters of the cause of retries."""
PLAIN_AFTER_S = 1.0
"""A run that ends before needs no progress in its log, and doesn't pay for it."""


class ReportWatcher(Watcher):
    """Hands everything to a reporter, and keeps a progress line on a terminal."""

    def __init__(
        self,
        reporter: Reporter,
        *,
        tells_earlier: bool,
        shows_progress: bool,
        shows_instances: bool = False,
    ) -> None:
        """Args:
        reporter: writes results to stdout.
        tells_earlier: whether results of an earlier, resumed run are reported too.
        shows_progress: whether stderr gets progress: a line on a terminal, elsewhere a few.
        shows_instances: whether the reporter writes every instance to a terminal, which needs
            the progress line's place then.
        """
        self._reporter = reporter
        self._tells_earlier = tells_earlier
        self._shows_progress = shows_progress
        self._shows_instances = shows_instances
        self._session: Session | None = None
        self._started = 0.0
        self._line: ProgressLine | None = None
        self._total: int | None = None
        self._warned: set[str] = set()

    def on_start(self, session: Session) -> None:
        self._session = session
        self._started = time.monotonic()
        if self._shows_progress and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            self._open_line(session, plain=False)

    def _open_line(self, session: Session, *, plain: bool) -> None:
        from lve.cli.run.progress import ProgressLine

        done = sum(session.summary.instances().values())
        self._line = ProgressLine(
            lambda: facts_of(session, self._total), already_done=done, plain=plain
        )
        Thread(target=self._count, args=(session,), daemon=True).start()

    def _count(self, session: Session) -> None:
        """Count what there is to do, beside the work itself."""
        from lve.pipeline.total import session_total

        self._total = session_total(session)

    def on_result(self, test_run: TestRun, result: InstanceResult) -> None:
        if self._shows_instances:  # every instance comes here: the rest need not pay for it
            self.close()
        self._reporter.on_result(result, test_run.spec.expect)

    def on_previous_result(self, test_run: TestRun, result: InstanceResult) -> None:
        if self._tells_earlier:
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
        """Tell the user something at once."""
        self.close()
        tell(text)

    def warn(self, text: str) -> None:
        """Print a warning, before the run or during it; the same one once, however many tests
        have it."""
        if text not in self._warned:
            self._warned.add(text)
            self.close()
            warn(text)

    def close(self) -> None:
        """Take the progress line away."""
        if self._line is not None:
            self._line.clear()


def run_reported(
    run: Run, paths: Sequence[str], watcher: ReportWatcher, *others: Watcher
) -> RunResult:
    """Execute a run, with a report and progress while it goes on.

    Args:
        run: ready to start. Its warnings go to `watcher.warn`.
        paths: of its tests, as the session records them.
        watcher: hands on what happens.
        others: hear of it, too.
    """
    try:
        return asyncio.run(run.execute(paths, watchers=[*others, watcher], say=watcher.say))
    finally:
        watcher.close()


def facts_of(session: Session, total: int | None) -> ProgressFacts:
    """Return the state of a session, for a progress line."""
    from lve.cli.run.progress import ProgressFacts

    counts = session.summary.instances()
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
    """Add what the models' traffic says: tokens, cost, concurrency, and why requests wait."""
    limited = 0
    retrying: Counter[str] = Counter()
    for completer in engine.completers.values():
        traffic, limits = completer.traffic, completer.limits
        facts.tokens += traffic.prompt_tokens + traffic.completion_tokens
        facts.cost = (facts.cost or 0.0) + traffic.cost
        facts.in_flight += limits.in_flight
        facts.limit += int(limits.concurrency.limit)
        facts.maximum += limits.concurrency.maximum
        retrying[one_line(traffic.last_failure, SHOWN_OF_FAILURE)] += traffic.waiting_for_retry
        limited += limits.waiting_for_rate
    facts.waits = {**retrying, "rate limit of the settings": limited}
