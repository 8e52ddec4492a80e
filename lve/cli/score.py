"""`lve score`: judges the answers of a session again."""

from __future__ import annotations

import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lve.cli.run.command_options import run_options
from lve.cli.shared_options import report_form, report_options
from lve.cli.talk import warn

if TYPE_CHECKING:
    from lve.pipeline.rescore import Rescoring
    from lve.reporting import Detail


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
    trust: bool,
    session_dir: str | None,
    strict: bool,
    **reporting: bool,
) -> None:
    """Judge a session's answers again, without asking a model.

    Writes nothing. Compares the new verdicts with those of the session ("recorded").

    \b
    lve score last                      after a change of a checker
    lve score 20261121-1135 repository/privacy
    """
    name, detail = report_form(reporting)
    ctx.exit(execute(ScoreRequest(session, paths, trust, session_dir, strict, name, detail)))


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """The arguments of `lve score`."""

    session: str
    paths: tuple[str, ...]
    trust: bool
    session_dir: str | None
    strict: bool
    format: str
    detail: Detail


def execute(request: ScoreRequest) -> int:
    """Judge the answers again, report the verdicts, and return the exit code.

    Raises:
        LveError: a mistake of the user.
    """
    from lve.cli.output import PatientReporter
    from lve.pipeline.loading import choose_workspace, load_tests
    from lve.pipeline.rescore import rescore
    from lve.pipeline.result import RunResult
    from lve.pipeline.resume import Unfinished, missing_tests, session_paths
    from lve.reporting import REPORTERS, SessionReport
    from lve.results.session import SessionFolder

    started = time.monotonic()
    workspace = choose_workspace(request.paths)
    session_dir = Path(request.session_dir) if request.session_dir else workspace.session_dir
    loaded = load_tests(request.paths, workspace, warn=warn) if request.paths else None
    folder = SessionFolder.find(session_dir, request.session, warn=warn)
    info = folder.info()
    loaded = loaded or load_tests(session_paths(info, workspace), workspace, warn=warn)
    unfinished = Unfinished.of(info, loaded.specs, workspace.settings)
    expected = {spec.path: spec.expect for spec in loaded.specs}
    reporter = PatientReporter(REPORTERS[request.format](sys.stdout, request.detail))
    done = rescore(
        folder.results(warn=warn),
        loaded.specs,
        workspace.settings,
        trust=request.trust,
        unfinished=unfinished,
        repeats=info["options"].get("repeats"),
        on_result=lambda result: reporter.on_result(result, expected[result.test]),
    )
    for test in loaded.invalid:
        done.summary.invalid[test.path] = tuple(str(problem) for problem in test.problems)
    for tally in done.summary.tallies.values():
        reporter.on_tally(tally)
    if not request.paths:
        for told in missing_tests(done.missing - set(done.summary.invalid)):
            warn(told)
    result = RunResult(
        summary=done.summary,
        status=unfinished.status_of(done.summary),
        folder=folder,
        seconds=time.monotonic() - started,
    )
    report = SessionReport(
        result,
        request.strict,
        found_with=_found_with(request),
        why_empty=_why_empty(folder.id, request, done),
    )
    reporter.finish(report)
    return report.exit_code


def _found_with(request: ScoreRequest) -> str:
    words = [*request.paths]
    if request.session_dir:
        words += ["--session-dir", request.session_dir]
    return shlex.join(words)


def _why_empty(session: str, request: ScoreRequest, done: Rescoring) -> str:
    if request.paths:
        which = " of these tests"
    else:
        which = " of tests that are still there" if done.missing else ""
    return f"session {session} has no results{which}: there is nothing to judge"
