"""How a session ends: what is written then, and what the result says."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from lve.execution.stop import FAIL_FAST, INTERRUPTED
from lve.extension_table import extension_part
from lve.models.chat_model import is_free
from lve.pipeline.engine import BUDGET, Engine
from lve.pipeline.result import RunResult
from lve.pipeline.run_of_test import TestRun
from lve.pipeline.session import Session, Watcher
from lve.sessions.instance_result import InstanceResult
from lve.sessions.prompt_changes import PromptChange
from lve.sessions.session_info import Status
from lve.sessions.storage import Upload, storage_of

if TYPE_CHECKING:
    from lve.pipeline.gate import Gated
    from lve.pipeline.row_totals import RowTotals

ONLY_ERRORS = "only what ended in an error ran again"


class KeptResults(Watcher):
    """Holds all results in memory, so that nobody has to read them from the journal."""

    def __init__(self) -> None:
        self.results: list[InstanceResult] = []

    def on_result(self, test_run: TestRun, result: InstanceResult) -> None:
        self.results.append(result)


async def run_to_end(session: Session, work: Callable[[], Awaitable[Status]]) -> Status:
    """Do a session's work, then close it and write how it ended, also if the work fails.

    Args:
        session: the session; its tests are added.
        work: starts the session, waits for its work and returns its status.

    Returns:
        The status from `work`.

    Raises:
        LveError: the first error, from the work or from closing.
    """
    upload = _begin_upload(session)
    try:
        try:
            status = await work()
        except BaseException:
            with suppress(Exception):
                await _close(session, "failed")
            raise
        await _close(session, status)
    finally:
        if upload is not None:
            await asyncio.to_thread(upload.close)
    return status


def _begin_upload(session: Session) -> Upload | None:
    """Begin to send the session to the team's store, if there is one.

    A part of a session isn't sent: the process that merges the parts sends the whole.
    """
    folder = session.log.folder
    if folder is None or session.log.is_part:
        return None
    return storage_of(session.engine.settings.cache).begin_upload(folder.path, warn=session.warn)


async def _close(session: Session, status: Status) -> None:
    """Close the engine and the journal, and write the session's status and summary. If the engine
    or the journal can't be closed, the status is `failed`."""
    ended: Status = "failed"
    try:
        try:
            session.preparation.close()
            await session.engine.close()
        finally:
            session.log.finish()
        if session.previous is not None:
            session.count_previous(session.log.errors_not_retried(session.previous))
        ended = "complete" if status != "failed" and _is_complete_again(session) else status
        if ended != "complete":
            _totals(session).note_left()
        tallies = session.summary.tallies.values()
        if any(tally.numbers.overall is not None for tally in tallies):
            await asyncio.to_thread(extension_part("overall scores"), session, ended)
    finally:
        session.log.end(ended, session.summary)


def _is_complete_again(session: Session) -> bool:
    """Whether a complete session that was resumed, for its errors say, and stopped still has all
    its results: then it stays complete, and so do its tests."""
    runs = session.test_runs.values()
    if session.log.status_before != "complete" or not runs:
        return False
    if any(test_run.has_gaps or test_run.left_out or test_run.needs_more() for test_run in runs):
        return False
    session.summary.complete()
    return True


def status_of(session: Session) -> Status:
    """Return the status of a session whose work has ended."""
    before = session.log.status_before
    reason = session.engine.stop_signal.reason
    if reason == INTERRUPTED:
        return "interrupted"
    if reason == BUDGET:
        return "budget"
    if reason == FAIL_FAST:
        return "complete" if _had_run_all(session) else "stopped"
    if before in (None, "complete") or not _left_out(session):
        return "complete"
    return "interrupted" if before == "running" else before  # what was killed says "running"


def _had_run_all(session: Session) -> bool:
    """Whether a failure was in the last result of a session, so that nothing was left that it could
    stop: then the session is complete, and so are its tests."""
    if not _totals(session).has_run_all():
        return False
    session.summary.complete()
    return True


def left_of(session: Session, status: Status) -> int:
    """Return about how many instances (times repeats) were not run.

    Args:
        session: that has ended.
        status: its status.
    """
    if session.engine.stop_signal.reason is None or status == "complete":
        return _left_out(session)
    return max(_totals(session).total() - sum(session.summary.results().values()), 0)


def _totals(session: Session) -> RowTotals:
    from lve.pipeline.row_totals import RowTotals  # late: most sessions run everything

    return RowTotals(session)


def stopped_by(session: Session, status: Status) -> str | None:
    """Return why not everything ran, in a sentence; None if everything did. Arguments as
    `left_of`."""
    reason = None if status == "complete" else session.engine.stopped_by
    return reason or (ONLY_ERRORS if _left_out(session) else None)


def _left_out(session: Session) -> int:
    return sum(test_run.left_out for test_run in session.test_runs.values())


def requests_of(engine: Engine) -> int:
    """Return how many attempts were sent, to all models."""
    return sum(completer.traffic.requests for completer in engine.models.completers.values())


def cost_of_session(session: Session) -> float | None:
    """Return what all runs of a session cost, in US dollars; None if no model has a price.

    The results of a resumed session may say less: answers that a killed run has paid for come from
    the cache.
    """
    cost = session.summary.cost()
    if cost is None or session.log.status_before is None:
        return cost
    return max(cost, session.log.spending.total().cost)


def unpriced_models(engine: Engine) -> tuple[str, ...]:
    """Return the models that used tokens and whose price isn't known."""
    return tuple(
        name
        for name, completer in engine.models.completers.items()
        if completer.price is None
        and not is_free(completer.model)
        and completer.traffic.prompt_tokens + completer.traffic.completion_tokens > 0
    )


def failed_attempts(engine: Engine) -> dict[str, int]:
    """Return error kind -> attempts that failed with it, the most frequent first."""
    total: Counter[str] = Counter()
    for completer in engine.models.completers.values():
        total.update(completer.traffic.failures)
    return dict(total.most_common())


def result_of(
    session: Session,
    status: Status,
    *,
    seconds: float,
    prompt_changes: tuple[PromptChange, ...] = (),
    gated: Gated | None = None,
    results: tuple[InstanceResult, ...] | None = None,
) -> RunResult:
    """Return the result of a session that has ended; arguments as the fields of `RunResult`."""
    engine = session.engine
    return RunResult(
        summary=session.summary,
        status=status,
        folder=session.log.folder,
        invalid=session.invalid.all(),
        stopped_by=stopped_by(session, status),
        spent_role=engine.spent_role,
        seconds=seconds,
        requests=requests_of(engine),
        requests_before=session.log.spending.before.requests,
        failed_attempts=failed_attempts(engine),
        cost=cost_of_session(session),
        unpriced=unpriced_models(engine),
        prompt_changes=prompt_changes,
        left=left_of(session, status),
        allow_inconclusive=engine.options.allow_inconclusive,
        gated=gated,
        results_in_memory=results,
    )
