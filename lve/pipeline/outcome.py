"""How a run ended, in the words of its result."""

from __future__ import annotations

from collections import Counter

from lve.execution.stop import INTERRUPTED
from lve.pipeline.engine import BUDGET, Engine
from lve.pipeline.session import Session
from lve.pipeline.total import session_total
from lve.results.session import Status

ONLY_ERRORS = "only what ended in an error ran again"


def status_of(session: Session, before: Status | None) -> Status:
    """Return the status of a session that came to its end.

    Args:
        session: as it is now.
        before: its status when it was continued; None for a new one.
    """
    reason = session.engine.brake.reason
    if reason == INTERRUPTED:
        return "interrupted"
    if reason == BUDGET:
        return "budget"
    if before in (None, "complete") or not _left_out(session):
        return "complete"
    return "interrupted" if before == "running" else before  # what was killed says "running"


def left_of(session: Session) -> int:
    """Return about how many instances didn't get their turn."""
    if session.engine.brake.reason is None:
        return _left_out(session)
    return max(session_total(session) - sum(session.summary.instances().values()), 0)


def stopped_by(session: Session) -> str | None:
    """Return why not everything ran, in a sentence; None where it did."""
    return session.engine.stopped_by or (ONLY_ERRORS if _left_out(session) else None)


def _left_out(session: Session) -> int:
    return sum(pairing.left_out for pairing in session.pairings.values())


def requests_of(engine: Engine) -> int:
    """Return how many attempts were sent."""
    return sum(completer.traffic.requests for completer in engine.completers.values())


def failed_attempts(engine: Engine) -> dict[str, int]:
    """Return error kind -> attempts that failed with it, the most frequent first."""
    total: Counter[str] = Counter()
    for completer in engine.completers.values():
        total.update(completer.traffic.failures)
    return dict(total.most_common())
