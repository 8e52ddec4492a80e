"""Ends a session after so many failures (`--fail-fast`)."""

from __future__ import annotations

from lve.execution.stop import FAIL_FAST
from lve.pipeline.run_of_test import TestRun
from lve.pipeline.session import Session, Watcher
from lve.results.records import InstanceResult
from lve.run_options import spelled
from lve.verdicts.wording import amount


class FailFast(Watcher):
    """Counts what fails, and stops the session: what is under way ends and is kept.

    An instance that goes against its test's expectation, or ends in an error, counts once, however
    often it is repeated. Where a pass rate is expected no single instance does: the test counts.
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
        expect = test_run.spec.expect
        is_failure = result.verdict == expect.unwanted and expect.kind != "rate"
        if result.verdict == "error" or (is_failure and not result.advisory):
            self._count(result.test, result.model, result.source, str(result.line))

    def on_done(self, test_run: TestRun) -> None:
        tally = test_run.tally
        if test_run.spec.expect.kind == "rate" and not tally.is_advisory:
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
            engine.stopped_by = f"{spelled('fail_fast')}: {failures}"
            engine.stop(FAIL_FAST)
