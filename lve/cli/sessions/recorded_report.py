"""The report of a session whose tests aren't here: from its folder alone."""

from __future__ import annotations

import sys
from pathlib import Path

from lve.cli.sessions.session_report import SessionRequest, found_with
from lve.cli.talk import warn


def report_recorded(request: SessionRequest) -> None:
    """Report a session as its folder tells of it, without its test documents.

    Raises:
        LveError: there is no such session, or it can't be read.
    """
    from lve.cli.output import PatientReporter
    from lve.pipeline.choosing.loading import choose_workspace
    from lve.reporting import make_reporter
    from lve.reporting.files.session_report import session_report
    from lve.results.session import SessionFolder
    from lve.verdicts.recorded import RecordedSession

    session_dir = Path(request.session_dir or choose_workspace(()).session_dir)
    folder = SessionFolder.find(session_dir, request.session, warn=warn)
    with RecordedSession.of(folder, warn=warn) as session:
        reporter = PatientReporter(make_reporter(request.format, sys.stdout, request.detail))
        for result in session.results():
            reporter.on_result(result, session.tests[result.test, result.model].expect)
        for tally in session.tallies:
            reporter.on_tally(tally)
        report, found = session_report(session), found_with(request)
        reporter.finish(report._replace(found_with=found, shown_with=found))
