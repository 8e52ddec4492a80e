"""What `lve run` does once its options are known."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import click

from lve.cli.find_tests import no_tests
from lve.cli.output import PatientReporter
from lve.cli.run.command_options import RunRequest
from lve.cli.run.watcher import ReportWatcher, run_reported
from lve.cli.talk import tell
from lve.exit_code import ExitCode
from lve.pipeline.loading import (
    LoadedTests,
    choose_workspace,
    is_below,
    kept_elsewhere,
    load_tests,
    unused_settings,
)
from lve.pipeline.resume import PreviousRun, changed_tests, missing_tests, session_paths
from lve.pipeline.run import Run
from lve.pipeline.session_options import granted_words, restored_options
from lve.reporting import REPORTERS, SessionReport
from lve.reporting.summary_text import how_to_go_on
from lve.results.session import SessionFolder
from lve.run_options import RunOptions, spelled
from lve.workspace import Workspace, display_path

Warn = Callable[[str], None]


class NothingSelected(click.ClickException):
    """There is nothing to run; no session begins."""

    exit_code = ExitCode.nothing_selected

    def show(self, file: IO[Any] | None = None) -> None:
        """Print it as errors are printed."""
        tell(self.message)


def execute(request: RunRequest) -> int:
    """Do what is asked for and return the exit code.

    Raises:
        LveError: the user's mistakes.
    """
    if request.dry_run:
        from lve.cli.run.dry import dry_run

        return dry_run(request)
    reporter = PatientReporter(REPORTERS[request.format](sys.stdout, request.detail))
    watcher = ReportWatcher(
        reporter,
        tells_earlier=request.format != "text",
        shows_progress=request.detail != "quiet",
        shows_instances=sys.stdout.isatty() and _has_instances(request),
    )
    run, paths = _prepare(request, watcher.warn)
    result = run_reported(run, paths, watcher)
    found_with = _found_with(result.folder, request) if result.folder else ""
    report = SessionReport(result, found_with)
    reporter.finish(report)
    if request.format != "text" and (hint := how_to_go_on(report)):  # text has it in its summary
        tell(hint)
    return report.exit_code


def _has_instances(request: RunRequest) -> bool:
    """Whether the report has a line or more for every instance, while the run goes on."""
    return request.format == "jsonl" or (request.format == "text" and request.detail == "verbose")


def _prepare(request: RunRequest, warn: Warn) -> tuple[Run, list[str]]:
    """Return the run, ready to start, and the paths of its tests."""
    workspace = choose_workspace(request.paths)
    if unused := unused_settings(request.paths, workspace):
        warn(unused)
    if request.given.get("state") is None and (note := kept_elsewhere(workspace)):
        tell(f"{note}; --session-dir names another folder")
    if request.resume is not None:
        return _prepare_resume(request, workspace, request.resume, warn)
    if request.last_failed:
        return _prepare_last_failed(request, workspace, warn)
    paths = list(request.paths) or ["."]
    loaded = _load(paths, workspace, request, warn)
    return Run(workspace, RunOptions(**request.given), loaded, warn=warn), paths


def _load(paths: list[str], workspace: Workspace, request: RunRequest, warn: Warn) -> LoadedTests:
    loaded = load_tests(paths, workspace, warn=warn)
    if not (loaded.specs or loaded.invalid):
        raise NothingSelected(no_tests(request.paths))
    return loaded


def _prepare_last_failed(
    request: RunRequest, workspace: Workspace, warn: Warn
) -> tuple[Run, list[str]]:
    """Return a new run of what went against its test's expectation in the last session."""
    last = SessionFolder.find(request.given.get("state") or workspace.session_dir, warn=warn)
    info = last.info()
    options = _options_of(info, request, workspace)
    paths = list(request.paths) or session_paths(info, workspace) or ["."]
    loaded = _load(paths, workspace, request, warn)
    changed = changed_tests(info, loaded.specs)
    previous = PreviousRun(changed=changed, redact=workspace.redactor())
    previous.only_failures(last, loaded.specs)
    if not (previous.only or loaded.invalid):
        raise NothingSelected(
            f"nothing failed in the last session, {last.id}, that its test doesn't expect to"
        )
    return Run(workspace, options, loaded, previous=previous, warn=warn), paths


def _prepare_resume(
    request: RunRequest, workspace: Workspace, name: str, warn: Warn
) -> tuple[Run, list[str]]:
    """Return a run that continues a session. Its tests are those of the session."""
    session_dir = request.given.get("state") or workspace.session_dir
    folder = SessionFolder.find(session_dir, name, redact=workspace.redactor(), warn=warn)
    info = folder.info()
    options = _options_of(info, request, workspace)
    paths = session_paths(info, workspace, request.paths)
    there = _still_there(paths)
    loaded = load_tests(there, workspace, warn=warn) if there else LoadedTests()
    changed = changed_tests(info, loaded.specs)
    for told in (*changed.values(), *missing_tests(_missing(info, loaded))):
        warn(told)
    previous = PreviousRun(changed=changed, redact=folder.redact)
    if failures_of := info.get("failures_of"):
        previous.only_failures(SessionFolder.find(session_dir, failures_of), loaded.specs)
    previous.add_selected(info)
    previous.retry_errors = request.retry_errors
    previous.only_errors = request.only_errors
    return Run(workspace, options, loaded, folder=folder, previous=previous, warn=warn), paths


def _still_there(paths: list[str]) -> list[str]:
    """Return the paths that haven't been deleted, or all of them, if all were."""
    there = [path for path in paths if any(sign in path for sign in "*?[") or Path(path).exists()]
    return there or paths


def _missing(info: Mapping[str, Any], loaded: LoadedTests) -> set[str]:
    """Return the tests of a session that aren't there any more."""
    there = {spec.path for spec in loaded.specs} | {test.path for test in loaded.invalid}
    return set(info.get("tests") or ()) - there


def _options_of(info: Mapping[str, Any], request: RunRequest, workspace: Workspace) -> RunOptions:
    """Return a session's options with what is given now."""
    caps = workspace.settings.caps
    return restored_options(info["options"], request.given, session=info["session"], caps=caps)


def _found_with(folder: SessionFolder, request: RunRequest) -> str:
    """Return what `--resume` needs besides the session's id to find it from here and to go on as
    it was begun."""
    words: list[str] = []
    if request.paths:
        root = choose_workspace(request.paths).root
        outside = [path for path in request.paths[1:] if not is_below(path, root)]
        if outside or choose_workspace(()).root != root or not is_below(request.paths[0], root):
            words = [request.paths[0], *outside]
    if request.given.get("state") is not None:
        words += ["--session-dir", str(display_path(folder.path.parent.parent))]
    words += granted_words(RunOptions(**request.given))
    words += [spelled("allow_inconclusive")] * ("allow_inconclusive" in request.given)
    if not words:
        return ""
    from shlex import join  # costs start-up time

    return join(words)
