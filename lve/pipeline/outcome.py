"""How a run ended, in the words of its result."""

from __future__ import annotations

from collections import Counter

from lve.pipeline.engine import BUDGET, INTERRUPTED, Engine
from lve.pipeline.session import Session
from lve.pipeline.total import session_total
from lve.results.session import Status


def status_of(engine: Engine) -> Status:
    """Return the status of a session that came to its end."""
    reason = engine.brake.reason
    if reason == INTERRUPTED:
        return "interrupted"
    return "budget" if reason == BUDGET else "complete"


def left_of(session: Session) -> int:
    """Return about how many instances didn't get their turn."""
    return max(session_total(session) - sum(session.summary.instances().values()), 0)


def requests_of(engine: Engine) -> int:
    """Return how many attempts were sent."""
    return sum(completer.traffic.requests for completer in engine.completers.values())


def failed_attempts(engine: Engine) -> dict[str, int]:
    """Return error kind -> attempts that failed with it, the most frequent first."""
    total: Counter[str] = Counter()
    for completer in engine.completers.values():
        total.update(completer.traffic.failures)
    return dict(total.most_common())
