"""How a session ends: after Ctrl-C, what is written then, and what its result says."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from lve.execution.stop import FAIL_FAST, INTERRUPTED
from lve.pipeline.aside import stop_checkers
from lve.pipeline.engine import BUDGET, Engine
from lve.pipeline.resources.session_cache import checked_store
from lve.pipeline.session import Session
from lve.results.session import Status

if TYPE_CHECKING:
    from lve.results.publishing import Publishing

ONLY_ERRORS = "only what ended in an error ran again"


async def run_to_end(session: Session, work: Callable[[], Awaitable[Status]]) -> Status:
    """Do the work of a session, write what is left, whatever happened, and return how it ended.

    Args:
        session: ready to start.
        work: starts it, and waits for its work; returns the status.

    Raises:
        LveError: what went wrong first.
    """
    publishing = _publishing(session)
    try:
        try:
            status = await work()
        except BaseException:
            with suppress(Exception):
                await _close(session, "failed")
            raise
        await _close(session, status)
    finally:
        if publishing is not None:
            await asyncio.to_thread(publishing.close)
    return status


def _publishing(session: Session) -> Publishing | None:
    """Begin to send a session to the team's store, if there is one. Of several processes, who puts
    their parts together sends it."""
    folder = session.log.folder
    if folder is None or session.log.is_part:
        return None
    url = checked_store(session.engine.settings)
    if url is None:
        return None
    from lve.results.publishing import Publishing  # few have a store

    return Publishing(folder.path, url, warn=session.warn)


async def _close(session: Session, status: Status) -> None:
    """Write what is left; the session has failed where that can't be done."""
    ended: Status = "failed"
    try:
        try:
            session.preparation.close()
            await session.engine.close()
        finally:
            session.log.finish()
        if session.previous is not None:
            session.add_earlier(session.log.unretried(session.previous))
        ended = "complete" if status != "failed" and _is_complete_again(session) else status
    finally:
        session.log.end(ended, session.summary)


def _is_complete_again(session: Session) -> bool:
    """Whether a complete session that was resumed, say for its errors, has all its results after
    all, though it was stopped. Its tests are complete then."""
    runs = session.test_runs.values()
    if session.log.status_before != "complete" or not runs:
        return False
    if any(one.has_gaps or one.left_out or one.needs_more() for one in runs):
        return False
    session.summary.complete()
    return True


def status_of(session: Session) -> Status:
    """Return the status of a session that came to its end."""
    before = session.log.status_before
    reason = session.engine.stop_signal.reason
    if reason == INTERRUPTED:
        return "interrupted"
    if reason == BUDGET:
        return "budget"
    if reason == FAIL_FAST:
        return "stopped"
    if before in (None, "complete") or not _left_out(session):
        return "complete"
    return "interrupted" if before == "running" else before  # what was killed says "running"


def left_of(session: Session) -> int:
    """Return about how many instances didn't get their turn."""
    if session.engine.stop_signal.reason is None:
        return _left_out(session)
    from lve.pipeline.total import session_total  # most sessions come to their end

    return max(session_total(session) - sum(session.summary.instances().values()), 0)


def stopped_by(session: Session) -> str | None:
    """Return why not everything ran, in a sentence; None where it did."""
    return session.engine.stopped_by or (ONLY_ERRORS if _left_out(session) else None)


def _left_out(session: Session) -> int:
    return sum(test_run.left_out for test_run in session.test_runs.values())


def requests_of(engine: Engine) -> int:
    """Return how many attempts were sent."""
    return sum(completer.traffic.requests for completer in engine.completers.values())


def cost_of_session(session: Session) -> float | None:
    """Return what all runs of a session took, in US dollars; None if no model has a price. Answers
    that a killed run had paid for come from the cache, so the results alone may say less."""
    cost = session.summary.cost()
    if cost is None or session.log.status_before is None:
        return cost
    return max(cost, session.log.spending.total(session.engine).cost)


def unpriced_models(engine: Engine) -> tuple[str, ...]:
    """Return the models that took tokens whose price nobody has said."""
    return tuple(
        name
        for name, completer in engine.completers.items()
        if completer.price is None
        and not getattr(completer.model, "is_free", False)
        and completer.traffic.prompt_tokens + completer.traffic.completion_tokens > 0
    )


def failed_attempts(engine: Engine) -> dict[str, int]:
    """Return error kind -> attempts that failed with it, the most frequent first."""
    total: Counter[str] = Counter()
    for completer in engine.completers.values():
        total.update(completer.traffic.failures)
    return dict(total.most_common())


def _signals() -> Iterator[signal.Signals]:
    """Yield those that stop a session. `nohup` has lve ignore SIGHUP, and so it does."""
    yield from (signal.SIGINT, signal.SIGTERM)
    hangup = getattr(signal, "SIGHUP", None)  # not on Windows
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
        yield hangup


@contextmanager
def handle_interrupts(engine: Engine, say: Callable[[str], None]) -> Iterator[None]:
    """Turn the signals of this process into a stop of the engine, until the block ends.

    Only the main thread gets signals; in any other one this does nothing.
    """
    loop = asyncio.get_running_loop()
    interrupts = 0

    def interrupt() -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts == 1:
            engine.stop()
            say("interrupted: waiting for what is under way (Ctrl-C again to stop now)")
        else:
            engine.cancel()

    signals = 0

    def on_signal(*_: Any) -> None:
        nonlocal signals
        signals += 1
        loop.call_soon_threadsafe(interrupt)
        if signals > 1:  # the loop itself may be waiting for a custom checker to start
            stop_checkers()

    try:
        before = {kind: signal.signal(kind, on_signal) for kind in _signals()}
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
