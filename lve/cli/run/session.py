"""Runs the tests that `lve run` is asked for, and reports the session."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from lve.cli.find_tests import NOTHING_SELECTED, no_tests
from lve.cli.printing import print_error, print_message
from lve.cli.run.command_options import RunRequest
from lve.cli.run.report_watcher import ReportWatcher
from lve.cli.tolerant_reporter import TolerantReporter
from lve.cli.watchdog import under_watchdog
from lve.errors import LveError, with_code
from lve.execution.event_loop import run_in_loop
from lve.exit_code import ExitCode
from lve.extension_table import extension_part
from lve.options.run_options import RunOptions, spelled
from lve.pipeline.choosing.failures import options_for_failures, previous_failures, take_failures
from lve.pipeline.choosing.loading import (
    LoadedTests,
    choose_workspace,
    load_tests,
    note_on_session_dir,
    unused_settings,
)
from lve.pipeline.result import RunResult
from lve.pipeline.run import Run
from lve.reporting import SessionReport, make_reporter
from lve.reporting.summary_text import how_to_go_on, how_to_judge_again
from lve.sessions.resume import PreviousRun, changed_tests, missing_tests, session_paths
from lve.sessions.session_folder import LAST, SessionFolder
from lve.sessions.session_info import SessionInfo
from lve.sessions.stored_options import granted_words, restored_options
from lve.settings.settings import NO_CLUSTER
from lve.workspace import Workspace, display_path, is_below

if TYPE_CHECKING:
    from lve.pipeline.session import Watcher
    from lve.reporting.files.outputs import Output

Warn = Callable[[str], None]


class NothingSelected(click.ClickException):
    """No test or instance is selected, so no session starts."""

    exit_code = ExitCode.nothing_selected

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message as other errors are printed, not in click's form."""
        print_message(with_code(self.message, NOTHING_SELECTED))


def execute(request: RunRequest, watchers: Sequence[Watcher] = ()) -> int:
    """Run the tests, or estimate the run, and return the exit code. `watchers` follow the session.

    Raises:
        LveError: a mistake of the user.
    """
    code: int
    if request.dry_run:
        code = extension_part("dry run")(request)
        return code
    files = _plan_reports(request)  # fails before anything is paid for
    reporter = TolerantReporter(make_reporter(request.format, sys.stdout, request.detail))
    watcher = ReportWatcher(
        reporter,
        reports_earlier=request.format != "text",
        shows_progress=request.detail != "quiet",
        shows_instances=sys.stdout.isatty() and _has_instances(request),
    )
    workspace = choose_workspace(request.paths)
    run, paths = _prepare(request, workspace, watcher.warn)
    gc.freeze()  # what the start has made stays: passes of the collector needn't look at it

    def go_on() -> int:
        with closing(watcher):
            work = run.execute(paths, watchers=[*watchers, watcher], say=watcher.say)
            result = run_in_loop(under_watchdog(work))
        return _end(result, reporter, files, request)

    if (request.fields.get("ray") or workspace.settings.ray or NO_CLUSTER) == NO_CLUSTER:
        return go_on()
    code = extension_part("driver of a cluster")(go_on)
    return code


def _end(
    result: RunResult, reporter: TolerantReporter, files: Sequence[Output], request: RunRequest
) -> int:
    """Finish the report, and return the exit code."""
    report = SessionReport(result)
    if result.folder is not None:
        location = _location_args(result.folder, request)
        resume_args = _joined([*location, *_grant_args(request)])
        report = SessionReport(result, resume_args, location_args=_joined(location))
        if shard := request.fields.get("shard"):
            why = f"no row is in shard {shard}: `lve session merge` needs it, too: {report.folder}"
            report = report._replace(why_empty=why)
    reporter.finish(report)
    if request.format != "text":  # the text report has them in its summary
        for hint in filter(None, (how_to_go_on(report), how_to_judge_again(report))):
            print_message(hint)
    return _write_reports(files, report, request)


def _plan_reports(request: RunRequest) -> Sequence[Output]:
    """Return the report files to write, after checking that they can be written."""
    if not request.outputs:
        return ()
    from lve.reporting.files.outputs import plan_outputs

    return plan_outputs(request.outputs)


def _write_reports(files: Sequence[Output], report: SessionReport, request: RunRequest) -> int:
    """Write the report files and return the exit code. If one can't be written any more, say how to
    write it from the session."""
    folder, code = report.result.folder, report.exit_code
    if folder is None or not (files or request.github):
        return code
    from lve.cli.report_files import write_reports

    try:
        root = choose_workspace(request.paths).root if request.github else None
        write_reports(files, [folder], github=root)
    except LveError as error:
        print_error(error)
        place = _joined(["--session-dir", str(display_path(folder.path.parent.parent))])
        print_message(
            f"no result is lost: `lve report {folder.id} {place} -o FILE` writes the report"
        )
        return code or ExitCode.invalid
    return code


def _has_instances(request: RunRequest) -> bool:
    """Whether the report prints every instance while the run is going on."""
    return request.format == "jsonl" or (request.format == "text" and request.detail == "verbose")


def _prepare(request: RunRequest, workspace: Workspace, warn: Warn) -> tuple[Run, list[str]]:
    """Return the run, ready to execute, and the paths of its tests."""
    if unused := unused_settings(request.paths, workspace):
        warn(with_code(unused, "settings_unused"))
    if request.fields.get("state") is None and (note := note_on_session_dir(workspace)):
        print_message(f"{note}; --session-dir names another folder")
    if request.resume is not None:
        return _prepare_resume(request, workspace, request.resume, warn)
    if request.failures_of is not None:
        return _prepare_failures(request, workspace, request.failures_of, warn)
    paths = list(request.paths) or ["."]
    options = RunOptions(**request.fields)
    return Run(workspace, options, _load(paths, workspace, options, warn), warn=warn), paths


def _load(paths: list[str], workspace: Workspace, options: RunOptions, warn: Warn) -> LoadedTests:
    loaded = load_tests(paths, workspace, warn=warn, options=options)
    if not (loaded.specs or loaded.invalid):
        raise NothingSelected(no_tests(paths, options))
    return loaded


def _prepare_failures(
    request: RunRequest, workspace: Workspace, name: str, warn: Warn
) -> tuple[Run, list[str]]:
    """Return a new run of the instances that failed unexpectedly in an earlier session."""
    state = request.fields.get("state") or workspace.session_dir
    earlier = SessionFolder.find(state, name, warn=warn)
    info = earlier.info()
    options = options_for_failures(info, request.fields, workspace.settings.caps)
    paths = list(request.paths) or session_paths(info, workspace) or ["."]
    loaded = _load(paths, workspace, options, warn)
    previous = previous_failures(earlier, loaded.specs, options, workspace)
    if not (previous.only or loaded.invalid):
        session = f"the last session ({earlier.id})" if name == LAST else f"session {earlier.id}"
        raise NothingSelected(f"nothing failed unexpectedly in {session}")
    return Run(workspace, options, loaded, previous=previous, warn=warn), paths


def _prepare_resume(
    request: RunRequest, workspace: Workspace, name: str, warn: Warn
) -> tuple[Run, list[str]]:
    """Return a run that continues a session, with the tests of that session."""
    session_dir = request.fields.get("state") or workspace.session_dir
    folder = SessionFolder.find(session_dir, name, warn=warn, only_here=True)
    info = folder.info()
    options = _restored_options(info, request, workspace)
    paths = session_paths(info, workspace, request.paths)
    there = _existing(paths)
    loaded = load_tests(there, workspace, warn=warn, options=options) if there else LoadedTests()
    changed = changed_tests(info, loaded.specs)
    for warning in (*changed.values(), *missing_tests(_missing(info, loaded))):
        warn(with_code(warning, "tests_changed"))
    stale = extension_part("stale answers of a session")(info, loaded.specs) if changed else None
    previous = PreviousRun(
        changed=changed,
        stale=stale and stale.change,
        retry_errors=request.retry_errors,
        only_errors=request.only_errors,
    )
    if failures_of := info.get("failures_of"):
        earlier = SessionFolder.find(session_dir, failures_of)
        take_failures(previous, earlier, loaded.specs, options, workspace.settings)
    previous.add_selected(info)
    return Run(workspace, options, loaded, folder=folder, previous=previous, warn=warn), paths


def _existing(paths: list[str]) -> list[str]:
    """Return the globs and the paths that still exist, or all paths if none does."""
    there = [path for path in paths if any(sign in path for sign in "*?[") or Path(path).exists()]
    return there or paths


def _missing(info: SessionInfo, loaded: LoadedTests) -> set[str]:
    """Return the paths of the session's tests that don't exist any more."""
    there = {spec.path for spec in loaded.specs} | {test.path for test in loaded.invalid}
    return set(info.get("tests") or ()) - there


def _restored_options(info: SessionInfo, request: RunRequest, workspace: Workspace) -> RunOptions:
    """Return the session's options, updated with those given now."""
    caps = workspace.settings.caps
    return restored_options(info["options"], request.fields, session=info["session"], caps=caps)


def _location_args(folder: SessionFolder, request: RunRequest) -> list[str]:
    """Return the arguments besides its id that find the session from the current folder."""
    words: list[str] = []
    if request.paths:
        root = choose_workspace(request.paths).root
        outside = [path for path in request.paths[1:] if not is_below(path, root)]
        if outside or choose_workspace(()).root != root or not is_below(request.paths[0], root):
            words = [request.paths[0], *outside]
    if request.fields.get("state") is not None:
        words += ["--session-dir", str(display_path(folder.path.parent.parent))]
    return words


def _grant_args(request: RunRequest) -> list[str]:
    """Return the options that a resumed session doesn't restore, and needs again to behave the
    same."""
    words = granted_words(RunOptions(**request.fields))
    if request.fields.get("baseline"):  # without it, a resumed run would be green where this isn't
        words = [*words, spelled("baseline"), str(display_path(request.fields["baseline"]))]
    flags = ("allow_missing", "allow_inconclusive")
    return [*words, *(spelled(name) for name in flags if request.fields.get(name))]


def _joined(words: list[str]) -> str:
    """Return words as one would type them in a shell."""
    if not words:
        return ""
    from shlex import join  # costs start-up time

    return join(words)
