"""`lve score`: judges the answers of a session again."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from lve.cli.printing import warn, warn_of_sandbox
from lve.cli.run.command_options import given_options, run_options
from lve.cli.sessions.show_session import location_args
from lve.cli.shared_options import report_form, report_options
from lve.cli.tolerant_reporter import TolerantReporter
from lve.errors import with_code
from lve.extension_table import extension_part
from lve.extensions.scoring.rescore import Rescoring, rescore
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.loading import choose_workspace, load_tests
from lve.pipeline.prices import unpriced_models
from lve.pipeline.rejudging.role_session import RoleSession
from lve.pipeline.result import RunResult
from lve.pipeline.roles.roles import statuses_for
from lve.reporting import SessionReport, make_reporter
from lve.sessions.instance_result import REPLAY, InstanceResult
from lve.sessions.resume import asked_otherwise, missing_tests, session_paths
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import SessionInfo, Status
from lve.sessions.session_tests import read_tests
from lve.spec.discover import discover
from lve.spec.spec import Spec
from lve.verdicts.recorded_session import add_refused, drop_refused, note_gaps
from lve.verdicts.summary import Summary
from lve.workspace import Workspace


@click.command()
@click.argument("session", metavar="SESSION|last")
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@run_options("score")
@click.option("--session-dir", metavar="FOLDER", help="Folder of sessions.  [default: .lve]")
@report_options
@click.pass_context
def score(
    ctx: click.Context,
    /,
    session: str,
    paths: tuple[str, ...],
    session_dir: str | None,
    **words: Any,
) -> None:
    """Judge a session's answers again, without the tested model.

    Doesn't change the session. Compares the new verdicts with those of the session ("recorded").
    The session has the answers of judges, too: a judge gets only new questions, unless --role
    names another judge.

    \b
    lve score last                      after changing a checker
    lve score 20261121-1135 repository/privacy
    lve score last --role judge=groq/openai/gpt-oss-120b
    """
    form, detail = report_form(words)
    asking = RunOptions(**given_options(words))
    reporter = TolerantReporter(make_reporter(form, sys.stdout, detail))
    ctx.exit(_score(session, paths, session_dir, asking, reporter))


def _score(
    name: str,
    paths: Sequence[str],
    session_dir: str | None,
    asking: RunOptions,
    reporter: TolerantReporter,
) -> int:
    """Judge a session's answers again, report that, and return the exit code."""
    started = time.monotonic()
    workspace = choose_workspace(paths)
    place = Path(session_dir) if session_dir else workspace.session_dir
    for path in paths:  # one that isn't there is told before all else
        next(discover([path], report=lambda problem: None), None)
    folder = SessionFolder.find(place, name, warn=warn)
    info = folder.info()
    attacked = info["options"].get("attacks")
    options = RunOptions(attacks=attacked, models=(REPLAY,)) if attacked else None
    loaded = load_tests(
        paths or session_paths(info, workspace), workspace, warn=warn, options=options
    )
    done = _judged(folder, info, loaded.specs, workspace, asking, place, reporter)
    selected = {spec.path for spec in loaded.specs}
    for test in read_tests(folder.path, warn=warn).values():
        if (tally := done.summary.tallies.get((test.test, test.model or ""))) is not None:
            note_gaps(tally, test)
        if test.test in selected:
            add_refused(done.summary, test)
    drop_refused(done.summary)
    specs = {spec.path: spec for spec in loaded.specs}
    extension_part("rescored rows")(
        done.summary, lambda tally: specs.get(tally.test), folder.results
    )
    for invalid in loaded.invalid:
        done.summary.invalid[invalid.path] = tuple(
            problem.message_with_code for problem in invalid.problems
        )
    for tally in done.summary.tallies.values():
        reporter.on_tally(tally)
    gone = () if paths else missing_tests(done.missing - set(done.summary.invalid))
    for warning in (*asked_otherwise(info, loaded.specs), *gone):
        warn(with_code(warning, "tests_changed"))
    result = RunResult(
        summary=done.summary,
        status=_status(done.summary, info["status"]),
        folder=folder,
        seconds=time.monotonic() - started,
        unpriced=unpriced_models(done.summary, workspace.settings),
        allow_inconclusive=asking.allow_inconclusive,
    )
    there = " of tests that are still there" if done.missing else ""
    which = " of these tests" if paths else there
    why_empty = f"session {folder.id} has no results{which}: there is nothing to judge"
    location = location_args(paths, session_dir)
    report = SessionReport(result, location, location_args=location, why_empty=why_empty)
    reporter.finish(report)
    return report.exit_code


def _judged(
    folder: SessionFolder,
    info: SessionInfo,
    specs: Sequence[Spec],
    workspace: Workspace,
    asking: RunOptions,
    place: Path,
    reporter: TolerantReporter,
) -> Rescoring:
    """Judge the answers and report each result with the expectation of its test."""
    settings = workspace.settings
    roles = {**settings.roles, **(info.get("roles") or {}), **asking.roles}
    statuses = statuses_for(workspace, roles, warn=warn)
    tests = {spec.path: spec for spec in specs}

    def report(result: InstanceResult) -> None:
        reporter.on_result(result, tests[result.test].expect_for(result.model))

    if asking.trust or settings.trust:
        warn_of_sandbox()
    with RoleSession(workspace, replace(asking, state=place), warn=warn) as asks:
        return rescore(
            folder.results(warn=warn),
            info,
            specs,
            settings,
            trust=asking.trust,
            statuses=statuses,
            asks=asks,
            on_result=report,
        )


def _status(summary: Summary, status: Status) -> Status:
    """Return the status to report for the tests in a summary."""
    if all(tally.coverage.is_complete for tally in summary.tallies.values()):
        return "complete"
    return "interrupted" if status == "running" else status
