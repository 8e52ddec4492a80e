"""Turns a recorded session into the report that reporters get at the end of a run."""

from __future__ import annotations

from lve.pipeline.result import RunResult
from lve.reporting.reporter import Reporter, SessionReport
from lve.sessions.listing import KILLED
from lve.sessions.session_file import seconds_of
from lve.verdicts.recorded_session import RecordedSession


def session_report(session: RecordedSession) -> SessionReport:
    """Return the outcome of a session, as recorded in its folder."""
    is_open = session.status in ("running", KILLED)
    result = RunResult(
        summary=session.summary,
        status="interrupted" if is_open else session.info["status"],
        folder=session.folder,
        seconds=seconds_of(session.info) or 0.0,
        requests=int((session.info.get("spent") or {}).get("requests", 0)),
        cost=session.cost,
    )
    return SessionReport(result)


def report_to(reporter: Reporter, session: RecordedSession) -> None:
    """Report a recorded session to a reporter, as if it ran."""
    for tally in session.tallies:
        for result in session.results((tally.test, tally.model)):
            reporter.on_result(result, tally.expect)
        reporter.on_tally(tally)
    reporter.finish(session_report(session))
