"""The progress of a session: its numbers, and the line that shows them."""

from __future__ import annotations

from collections import Counter
from threading import Thread

from lve.cli.run.progress import ProgressFacts, ProgressLine
from lve.escape import one_line
from lve.pipeline.engine import Engine
from lve.pipeline.row_totals import RowTotals
from lve.pipeline.session import Session

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
