"""Reports an earlier session again, with its own verdicts (`lve show`) or judged again
(`lve score`)."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lve.cli.printing import warn, warn_of_sandbox
from lve.errors import with_code
from lve.settings.model_settings import OFFLINE_PROVIDERS

if TYPE_CHECKING:
    from lve.pipeline.choosing.loading import LoadedTests
    from lve.pipeline.rejudging.rescore import Rescoring
    from lve.reporting import Detail
    from lve.reporting.reporter import Reporter
    from lve.run_options import RunOptions
    from lve.sessions.instance_result import InstanceResult
    from lve.sessions.session_folder import SessionFolder, Status
    from lve.sessions.session_tests import SessionTest
    from lve.sessions.unfinished import Unfinished
    from lve.settings.settings import Settings
    from lve.spec.model import Expectation, Spec
    from lve.verdicts.summary import Summary
    from lve.workspace import Workspace


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """Which session to report, and how."""

    session: str
    format: str
    detail: Detail
    judges: bool
    """Whether to judge its answers again, instead of reporting its own verdicts."""
    paths: tuple[str, ...] = ()
    trust: bool = False
    session_dir: str | None = None
    allow_inconclusive: bool = False
    asking: RunOptions | None = None
    """The options for asking models that judge: roles and budget."""


def execute(request: SessionRequest) -> int:
    """Report a session and return the exit code.

    Raises:
        LveError: a mistake of the user.
    """
    from lve.cli.tolerant_reporter import TolerantReporter
    from lve.pipeline.choosing.loading import choose_workspace, load_tests
    from lve.pipeline.result import RunResult
    from lve.pipeline.roles.roles import statuses_for
    from lve.reporting import SessionReport, make_reporter
    from lve.sessions.resume import missing_tests, session_paths
    from lve.sessions.session_file import seconds_of
    from lve.sessions.session_folder import SessionFolder

    started = time.monotonic()
    workspace = choose_workspace(request.paths)
    session_dir = Path(request.session_dir) if request.session_dir else workspace.session_dir
    loaded = load_tests(request.paths, workspace, warn=warn) if request.paths else None
    folder = SessionFolder.find(session_dir, request.session, warn=warn)
    info = folder.info()
    loaded = loaded or load_tests(session_paths(info, workspace), workspace, warn=warn)
    known = _recorded_tests(folder)
    specs = _with_recorded_expectations(loaded.specs, () if request.judges else known)
    unfinished = _unfinished(info, specs, workspace.settings)
    reporter = TolerantReporter(make_reporter(request.format, sys.stdout, request.detail))
    statuses = statuses_for(workspace, _roles(request, info, workspace.settings), warn=warn)
    with _counter(request, workspace, session_dir) as count:
        done = count(
            folder.results(warn=warn),
            specs,
            workspace.settings,
            statuses=statuses,
            unfinished=unfinished,
            failures_only=bool(info.get("failures_of")),
            options=_repeat_options(info["options"]),
            on_result=_reporting(reporter, specs),
        )
    _note_what_was_not_judged(done.summary, loaded, known, request)
    for tally in done.summary.tallies.values():
        reporter.on_tally(tally)
    for warning in () if request.paths else missing_tests(done.missing - set(done.summary.invalid)):
        warn(with_code(warning, "tests_changed"))
    result = RunResult(
        summary=done.summary,
        status=_status(done.summary, info["status"]),
        folder=folder,
        seconds=time.monotonic() - started if request.judges else seconds_of(info) or 0.0,
        requests=0 if request.judges else int(info.get("spent", {}).get("requests", 0)),
        unpriced=_unpriced(done.summary, workspace.settings),
        allow_inconclusive=request.allow_inconclusive,
    )
    report = SessionReport(
        result,
        resume_args=_location_args(request),
        location_args=_location_args(request),
        why_empty=_why_empty(folder.id, request, done),
    )
    reporter.finish(report)
    return report.exit_code


def _unfinished(info: Mapping[str, Any], specs: Iterable[Spec], settings: Settings) -> Unfinished:
    """Return the tests that haven't finished; if that isn't known, all that were planned."""
    from lve.pipeline.rejudging.rescore import planned_pairs
    from lve.sessions.unfinished import Unfinished

    unfinished = Unfinished.of(info)
    if unfinished.is_known:
        return unfinished
    return unfinished._replace(pairs=frozenset(planned_pairs(info, specs, settings)))


def _status(summary: Summary, status: Status) -> Status:
    """Return the status to report for the tests in a summary."""
    if all(tally.is_complete for tally in summary.tallies.values()):
        return "complete"
    return "interrupted" if status == "running" else status


def _reporting(reporter: Reporter, specs: Iterable[Spec]) -> Callable[[InstanceResult], None]:
    """Return a function that reports a result with the expectation of its test."""
    tests = {spec.path: spec for spec in specs}

    def report(result: InstanceResult) -> None:
        reporter.on_result(result, tests[result.test].expect_for(result.model))

    return report


def _recorded_tests(folder: SessionFolder) -> Sequence[SessionTest]:
    """Return the tests as the session recorded them."""
    from lve.sessions.session_tests import read_tests

    return [*read_tests(folder.path, warn=warn).values()]


def _with_recorded_expectations(specs: Sequence[Spec], known: Iterable[SessionTest]) -> list[Spec]:
    """Return the tests with the expectations that the session recorded: the documents may have
    changed since."""
    then: dict[str, dict[str, Expectation]] = {}
    for test in known:
        if test.model is not None:
            then.setdefault(test.test, {})[test.model] = test.expect
    return [_expecting(spec, then.get(spec.path, {})) for spec in specs]


def _expecting(spec: Spec, of_models: Mapping[str, Expectation]) -> Spec:
    """Return a test with the given expectation for each model."""
    from lve.spec.model import ForModel  # late, like all imports that only a report needs

    own = {
        model: spec.for_models.get(model, ForModel())._replace(expect=expect)
        for model, expect in of_models.items()
    }
    return replace(spec, for_models={**spec.for_models, **own})


def _note_what_was_not_judged(
    summary: Summary, loaded: LoadedTests, known: Iterable[SessionTest], request: SessionRequest
) -> None:
    """Add to `summary` the tests that are invalid now, and, if nothing is judged again, those that
    were skipped or invalid in the session: all of them, or only those that are loaded. Also what
    the session lacks of the others."""
    from lve.verdicts.recorded import add_refused, note_gaps

    for test in known:
        if (tally := summary.tallies.get((test.test, test.model or ""))) is not None:
            note_gaps(tally, test)
    for invalid in loaded.invalid:
        summary.invalid[invalid.path] = tuple(
            problem.message_with_code for problem in invalid.problems
        )
    chosen = {spec.path for spec in loaded.specs}
    for test in () if request.judges else known:
        if not request.paths or test.test in chosen:
            add_refused(summary, test)


@contextmanager
def _counter(
    request: SessionRequest, workspace: Workspace, session_dir: Path
) -> Iterator[Callable[..., Rescoring]]:
    """Yield the function that sums up the session's results, as they are or judged again."""
    from lve.pipeline.rejudging.rescore import recount, rescore

    if not request.judges:
        yield recount
        return
    from lve.pipeline.rejudging.role_session import RoleSession
    from lve.run_options import RunOptions

    if request.trust or workspace.settings.trust:
        warn_of_sandbox()
    options = replace(request.asking or RunOptions(), state=session_dir)
    with RoleSession(workspace, options, warn=warn) as asks:
        yield partial(rescore, trust=request.trust, asks=asks)


def _roles(
    request: SessionRequest, info: Mapping[str, Any], settings: Settings
) -> Mapping[str, str]:
    """Return role -> the model of `--role`, of the session, or of the settings."""
    asked = request.asking.roles if request.asking else {}
    return {**settings.roles, **(info.get("roles") or {}), **asked}


def _repeat_options(options: Mapping[str, Any]) -> RunOptions:
    """Return the session's options that decide which repeats count."""
    from lve.run_options import RunOptions

    names = ("repeats", "model_args")
    return RunOptions(**{name: options[name] for name in names if name in options})


def _unpriced(summary: Summary, settings: Settings) -> tuple[str, ...]:
    """Return the models whose answers have no cost, so that the session's cost lacks them."""
    names: dict[str, None] = {}
    for tally in summary.tallies.values():
        entry = settings.models.get(tally.model)
        provider = entry.provider if entry else tally.model.partition("/")[0]
        tokens = tally.usage.prompt_tokens + tally.usage.completion_tokens
        if tokens and tally.cost is None and provider not in OFFLINE_PROVIDERS:
            names[tally.model] = None
    return tuple(names)


def report_recorded(request: SessionRequest) -> None:
    """Report a session from its folder alone, because its test documents aren't there.

    Raises:
        LveError: there is no such session, or it can't be read.
    """
    from lve.cli.tolerant_reporter import TolerantReporter
    from lve.pipeline.choosing.loading import choose_workspace
    from lve.reporting import make_reporter
    from lve.reporting.files.session_report import session_report
    from lve.sessions.session_folder import SessionFolder
    from lve.verdicts.recorded import RecordedSession

    session_dir = Path(request.session_dir or choose_workspace(()).session_dir)
    folder = SessionFolder.find(session_dir, request.session, warn=warn)
    with RecordedSession.of(folder, warn=warn) as session:
        reporter = TolerantReporter(make_reporter(request.format, sys.stdout, request.detail))
        for result in session.results():
            reporter.on_result(result, session.tests[result.test, result.model].expect)
        for tally in session.tallies:
            reporter.on_tally(tally)
        report, location = session_report(session), _location_args(request)
        reporter.finish(report._replace(resume_args=location, location_args=location))


def _location_args(request: SessionRequest) -> str:
    """Return the arguments, besides its ID, that find the session again."""
    words = [*request.paths]
    if request.session_dir:
        words += ["--session-dir", request.session_dir]
    return shlex.join(words)


def _why_empty(session: str, request: SessionRequest, done: Rescoring) -> str:
    if request.paths:
        which = " of these tests"
    else:
        which = " of tests that are still there" if done.missing else ""
    return f"session {session} has no results{which}: there is nothing to judge"
