"""Ends a session after a number of failures (`--fail-fast N`)."""

from __future__ import annotations

from lve.execution.stop import FAIL_FAST
from lve.options.run_options import spelled
from lve.pipeline.run_of_test import TestRun
from lve.pipeline.session import Session, Watcher
from lve.plurals import amount
from lve.sessions.instance_result import InstanceResult


class FailFast(Watcher):
    """Counts failures, and stops the session at the limit. Instances in flight end and are kept.

    An instance counts once, however often it is repeated, if its verdict goes against its test's
    expectation or it ends in an error that its test doesn't allow. In a test that expects a pass
    rate, no instance fails: the test counts as a whole.
    """

    def __init__(self, limit: int) -> None:
        """Args:
        limit: how many failures end the session.
        """
        self._limit = limit
        self._failed: set[tuple[str, ...]] = set()
        self._session: Session | None = None

    def on_start(self, session: Session) -> None:
        self._session = session

    def on_result(self, test_run: TestRun, result: InstanceResult) -> None:
        expect = test_run.tally.expect
        is_failure = result.verdict == expect.unwanted and expect.kind != "rate"
        is_error = result.verdict == "error"
        is_error = is_error and not expect.allows_errors(test_run.tally.counts["error"])
        if is_error or (is_failure and not result.advisory):
            self._count(result.test, result.model, result.source, str(result.line))

    def on_done(self, test_run: TestRun) -> None:
        tally = test_run.tally
        if test_run.tally.expect.kind == "rate" and not tally.is_advisory:
            outcome, _ = tally.verdict()
            if outcome == "failed":
                self._count(tally.test, tally.model)

    def _count(self, *what: str) -> None:
        self._failed.add(what)
        if len(self._failed) < self._limit or self._session is None:
            return
        engine = self._session.engine
        if engine.stop_signal.reason is None:
            failures = amount(len(self._failed), "failure")
            engine.stop(FAIL_FAST, f"{spelled('fail_fast')}: {failures}")
