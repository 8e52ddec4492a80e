"""`lve show SESSION`: reports a session again, with its own verdicts, from its folder alone."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from lve.cli.printing import warn
from lve.cli.report_files import find_session
from lve.cli.tolerant_reporter import TolerantReporter
from lve.errors import UsageError, with_code
from lve.pipeline.choosing.loading import choose_workspace
from lve.pipeline.prices import unpriced_models
from lve.reporting import Detail, make_reporter
from lve.reporting.files.session_report import session_report
from lve.sessions.resume import missing_tests, session_paths
from lve.spec.discover import discover
from lve.spec.location import test_path
from lve.verdicts.recorded_session import RecordedSession
from lve.workspace import Workspace


def show_session(
    name: str,
    paths: Sequence[str],
    *,
    session_dir: str | None,
    form: str,
    detail: Detail,
    by: Sequence[str] = (),
) -> None:
    """Report a session.

    Args:
        name: `last`, its ID, the beginning of that, or its folder.
        paths: of the tests to report; none: all.
        session_dir: the folder of sessions, if it isn't the workspace's.
        form: the name of the report's format.
        detail: how much to print of each result.
        by: columns and tags by whose values to show rates; none: as the session says.

    Raises:
        UsageError: a path doesn't exist.
        LveError: there is no such session, or it can't be read.
    """
    workspace = choose_workspace(paths)
    chosen = _tests_below(paths, workspace) if paths else None
    place = Path(session_dir) if session_dir else workspace.session_dir
    folder = find_session(place, name)
    if chosen is not None:
        chosen = _with_variants(chosen, folder.info().get("tests") or ())
    reporter = TolerantReporter(make_reporter(form, sys.stdout, detail))
    with RecordedSession.of(
        folder, only=chosen, by=by, on_result=reporter.on_result, warn=warn
    ) as session:
        for tally in session.summary.tallies.values():
            reporter.on_tally(tally)
        if chosen is None:
            _warn_of_missing(session, workspace)
        report, location = session_report(session), location_args(paths, session_dir)
        is_whole = all(tally.coverage.is_complete for tally in session.summary.tallies.values())
        result = replace(
            report.result,
            status="complete" if is_whole else report.result.status,
            cost=None if chosen else report.result.cost,
            unpriced=unpriced_models(session.summary, workspace.settings),
        )
        which = " of these tests" if paths else ""
        why_empty = f"session {folder.id} has no results{which}: there is nothing to judge"
        reporter.finish(
            report._replace(
                result=result, resume_args=location, location_args=location, why_empty=why_empty
            )
        )


def location_args(paths: Sequence[str], session_dir: str | None) -> str:
    """Return the arguments, besides its ID, that find a session again."""
    return shlex.join([*paths, *(["--session-dir", session_dir] if session_dir else [])])


def _tests_below(paths: Sequence[str], workspace: Workspace) -> set[str]:
    """Return the tests below some paths, which needn't be valid.

    Raises:
        UsageError: a path doesn't exist.
    """
    documents = discover(paths, report=lambda problem: warn(problem.message_with_code))
    return {test_path(file.parent.absolute(), workspace.root) for file in documents}


def _with_variants(tests: set[str], of_session: Iterable[str]) -> set[str]:
    """Return tests, and those of a session that are variants of them."""
    return tests | {path for path in of_session if path.rpartition("@")[0] in tests}


def _warn_of_missing(session: RecordedSession, workspace: Workspace) -> None:
    """Warn of the session's tests that don't exist any more, so that they can't be judged again."""
    try:
        there = _tests_below(session_paths(session.info, workspace), workspace)
    except UsageError as error:  # its tests are deleted or moved
        warn(f"{error.message_with_code}: the report has only what the session itself recorded")
        return
    tests = {test for test, _ in session.summary.tallies}
    for warning in missing_tests(tests - _with_variants(there, tests)):
        warn(with_code(warning, "tests_changed"))
