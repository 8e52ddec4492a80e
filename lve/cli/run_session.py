"""What `lve run` does once its options are known."""

from __future__ import annotations

import asyncio
import gc
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import click
from click.core import ParameterSource

from lve.cli.options import parse_assignments, parse_model_args
from lve.cli.output import PatientReporter
from lve.cli.run_watcher import ReportWatcher
from lve.cli.talk import tell, warn
from lve.exit_code import ExitCode
from lve.pipeline.loading import LoadedTests, choose_workspace, load_tests
from lve.pipeline.options import RunOptions
from lve.pipeline.result import RunResult
from lve.pipeline.resume import Earlier, restored_options
from lve.pipeline.run import Run
from lve.reporting import REPORTERS, Detail, SessionReport
from lve.results.redact import redactor
from lve.results.session import SessionFolder
from lve.workspace import Workspace, display_path

GC_THRESHOLD = 20_000
SAME_NAME = (
    "models",
    "base_url",
    "instances",
    "index",
    "repeats",
    "max_connections",
    "max_tests",
    "trust",
    "refresh",
    "stream",
    "max_cost",
    "max_tokens_total",
    "max_requests",
)
"""Options of the command line that are fields of `RunOptions` under the same name."""


class NothingSelected(click.ClickException):
    """There is nothing to run; no session begins."""

    exit_code = ExitCode.nothing_selected

    def show(self, file: IO[Any] | None = None) -> None:
        """Tell it as errors are told."""
        tell(self.message)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for."""

    paths: tuple[str, ...]
    given: Mapping[str, Any]
    """Fields of `RunOptions` that were given."""
    resume: str | None = None
    """Name of the session to continue."""
    retry_errors: bool = False
    """Whether its errors run again."""
    only_errors: bool = False
    """Whether nothing but its errors runs."""
    last_failed: bool = False
    dry_run: bool = False
    strict: bool = False
    format: str = "text"
    detail: Detail = "normal"

    @classmethod
    def read(cls, ctx: click.Context, given: Mapping[str, Any]) -> Wanted:
        """Return what the options mean.

        Raises:
            click.UsageError: they contradict each other.
        """
        _refuse_pairs(given)
        detail: Detail = "quiet" if given["quiet"] else "verbose" if given["verbose"] else "normal"
        resume, retry = given["resume"], given["retry_errors"]
        return cls(
            paths=given["paths"],
            given=_run_options(ctx, given),
            resume=resume or retry,
            retry_errors=retry is not None,
            only_errors=retry is not None and resume is None,
            last_failed=given["last_failed"],
            dry_run=given["dry_run"],
            strict=given["strict"],
            format="json" if given["as_json"] else "jsonl" if given["as_jsonl"] else "text",
            detail=detail,
        )


def execute(wanted: Wanted) -> int:
    """Do what is wanted and return the exit code.

    Raises:
        LveError: the user's mistakes.
    """
    if wanted.dry_run:
        from lve.cli.run_dry import dry_run

        return dry_run(wanted)
    # An instance is a few hundred objects that end with it, in no circles: looking for circles
    # every 700 objects costs 3 % of the time and finds next to nothing.
    gc.set_threshold(GC_THRESHOLD)
    run, paths = _prepare(wanted)
    reporter = PatientReporter(REPORTERS[wanted.format](sys.stdout, wanted.detail))
    watcher = ReportWatcher(
        reporter,
        tells_earlier=wanted.format != "text",
        shows_progress=wanted.detail != "quiet",
    )
    run.watch(watcher, say=watcher.say)
    try:
        result = asyncio.run(run.execute(paths))
    finally:
        watcher.close()
    reporter.finish(_report(result, wanted))
    return result.exit_code(strict=wanted.strict)


def _prepare(wanted: Wanted) -> tuple[Run, list[str]]:
    """Return the run, ready to start, and the paths of its tests."""
    workspace = choose_workspace(wanted.paths)
    if wanted.resume is not None:
        return _prepare_resume(wanted, workspace, wanted.resume)
    options = RunOptions(**wanted.given)
    earlier, paths = None, list(wanted.paths)
    if wanted.last_failed:
        last = SessionFolder.find(options.state or workspace.state, warn=warn)
        failed = {hash(result.key) for result in last.results() if result.verdict == "failed"}
        if not failed:
            raise NothingSelected(f"nothing failed in the last session, {last.id}")
        options = restored_options(last.info()["options"], wanted.given)
        paths = paths or list(last.info()["paths"])
        earlier = Earlier(only=failed)
    paths = paths or ["."]
    loaded = load_tests(paths, workspace)
    if not (loaded.specs or loaded.invalid):
        raise NothingSelected(
            f"no tests in {' '.join(wanted.paths) or 'this folder'}: name a test.json, a test.yaml "
            "or a folder above some"
        )
    return Run(workspace, options, loaded, earlier=earlier, warn=warn), paths


def _prepare_resume(wanted: Wanted, workspace: Workspace, name: str) -> tuple[Run, list[str]]:
    """Return a run that continues a session. Its tests are those of the session."""
    state = wanted.given.get("state") or workspace.state
    folder = SessionFolder.find(state, name, redact=redactor(workspace), warn=warn)
    info = folder.info()
    options = restored_options(info["options"], wanted.given)
    paths = [str(path) for path in info["paths"]]
    run = Run(
        workspace,
        options,
        load_tests(paths, workspace) if paths else LoadedTests(),
        folder=folder,
        earlier=Earlier(only_errors=wanted.only_errors),
        retry_errors=wanted.retry_errors,
        warn=warn,
    )
    return run, paths


def _report(result: RunResult, wanted: Wanted) -> SessionReport:
    folder = result.folder
    return SessionReport(
        summary=result.summary,
        status=result.status,
        exit_code=result.exit_code(strict=wanted.strict),
        session=result.session,
        folder=display_path(folder.path).as_posix() if folder else None,
        seconds=result.seconds,
        requests=result.requests,
        failed_attempts=result.failed_attempts,
        stopped_by=result.stopped_by,
        left=result.left,
        found_with=_found_with(folder, wanted) if folder else "",
    )


def _found_with(folder: SessionFolder, wanted: Wanted) -> str:
    """Return what `--resume` needs besides the session's id to find it from here."""
    words = []
    if wanted.paths and choose_workspace(()).root != choose_workspace(wanted.paths).root:
        words.append(wanted.paths[0])
    if wanted.given.get("state") is not None:
        words += ["--session-dir", str(display_path(folder.path.parent.parent))]
    return shlex.join(words)


def _run_options(ctx: click.Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `RunOptions` that were given on the command line."""
    options = {name: given[name] for name in SAME_NAME if _is_given(ctx, name)}
    options |= {
        field: given[name]
        for name, field in (("timeout", "timeout_s"), ("deadline", "deadline_s"))
        if given[name] is not None
    }
    parameters = parse_assignments(given["parameters"], option="-p")
    model_args = parse_model_args(given["model_args"])
    if given["temperature"] is not None:
        if "temperature" in model_args:
            raise click.UsageError("give --temperature or --model-arg temperature=..., not both")
        model_args["temperature"] = given["temperature"]
    if parameters:
        options["parameters"] = parameters
    if model_args:
        options["model_args"] = model_args
    if given["no_cache"]:
        options["use_cache"] = False
    if given["session_dir"] is not None:
        options["state"] = Path(given["session_dir"]).absolute()
    return options


def _is_given(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) not in (None, ParameterSource.DEFAULT)


def _refuse_pairs(given: Mapping[str, Any]) -> None:
    for one, other in (
        ("as_json", "as_jsonl"),
        ("quiet", "verbose"),
        ("no_cache", "refresh"),
        ("resume", "last_failed"),
        ("retry_errors", "last_failed"),
        ("dry_run", "resume"),
        ("dry_run", "retry_errors"),
    ):
        if given[one] and given[other]:
            spelled = ["--" + name.removeprefix("as_").replace("_", "-") for name in (one, other)]
            raise click.UsageError(f"{spelled[0]} and {spelled[1]} don't go together")
    resume, retry = given["resume"], given["retry_errors"]
    if resume and retry not in (None, "last", resume):
        raise click.UsageError("--resume and --retry-errors name different sessions")
