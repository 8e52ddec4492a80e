"""The report of a session that has been: with its own verdicts, or judged again."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lve.cli.talk import warn
from lve.workspace import OFFLINE_PROVIDERS

if TYPE_CHECKING:
    from lve.pipeline.rescore import Rescoring
    from lve.reporting import Detail
    from lve.run_options import RunOptions
    from lve.verdicts.summary import Summary
    from lve.workspace import Settings


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """Which session is reported, and how."""

    session: str
    format: str
    detail: Detail
    judges: bool
    """Whether its answers are judged again; otherwise its own verdicts are reported."""
    paths: tuple[str, ...] = ()
    trust: bool = False
    session_dir: str | None = None
    allow_inconclusive: bool = False


def execute(request: SessionRequest) -> int:
    """Report a session and return the exit code.

    Raises:
        LveError: a mistake of the user.
    """
    from lve.cli.output import PatientReporter
    from lve.pipeline.loading import choose_workspace, load_tests
    from lve.pipeline.rescore import recount, rescore
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
    count = partial(rescore, trust=request.trust) if request.judges else recount
    done = count(
        folder.results(warn=warn),
        loaded.specs,
        workspace.settings,
        unfinished=unfinished,
        options=_counting(info["options"]),
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
        seconds=time.monotonic() - started if request.judges else _seconds(info),
        requests=0 if request.judges else int(info.get("spent", {}).get("requests", 0)),
        unpriced=_unpriced(done.summary, workspace.settings),
        allow_inconclusive=request.allow_inconclusive,
    )
    report = SessionReport(
        result,
        found_with=_found_with(request),
        why_empty=_why_empty(folder.id, request, done),
    )
    reporter.finish(report)
    return report.exit_code


def _counting(options: Mapping[str, Any]) -> RunOptions:
    """Return those of a session's options that say which repeats count."""
    from lve.run_options import RunOptions

    names = ("repeats", "model_args")
    return RunOptions(**{name: options[name] for name in names if name in options})


def _unpriced(summary: Summary, settings: Settings) -> tuple[str, ...]:
    """Return the models of servers whose answers have no cost: the session's cost lacks theirs."""
    names: dict[str, None] = {}
    for tally in summary.tallies.values():
        entry = settings.models.get(tally.model)
        provider = entry.provider if entry else tally.model.partition("/")[0]
        tokens = tally.usage.prompt_tokens + tally.usage.completion_tokens
        if tokens and tally.cost is None and provider not in OFFLINE_PROVIDERS:
            names[tally.model] = None
    return tuple(names)


def _seconds(info: Mapping[str, Any]) -> float:
    """Return the time that a session took, pauses before it was resumed included; 0 if its file
    doesn't say."""
    try:
        began, ended = (datetime.fromisoformat(str(info.get(k))) for k in ("started", "ended"))
        return max(0.0, (ended - began).total_seconds())
    except (ValueError, TypeError):
        return 0.0


def _found_with(request: SessionRequest) -> str:
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
