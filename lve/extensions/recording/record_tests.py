"""Records the answers of tests: all at the end of a run, or one by one."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from lve.cli.ask import can_ask
from lve.cli.printing import print_error, print_line, print_message, print_problems, tell, warn
from lve.cli.run.report_watcher import ReportWatcher
from lve.cli.tolerant_reporter import TolerantReporter
from lve.exit_code import ExitCode
from lve.extensions.recording.record_args import lacks_instances
from lve.extensions.recording.record_one import record_test
from lve.extensions.recording.recording import Recording, Target, each_args_once, record_again
from lve.extensions.recording.stale import Renewal, StaleAnswers, accept_tests, stale_answers
from lve.models.error_kinds import CHECKER_ERROR
from lve.models.registry import provider_of
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.loading import (
    InvalidTest,
    LoadedTests,
    choose_workspace,
    load_tests,
    note_on_session_dir,
)
from lve.pipeline.result import RunResult
from lve.pipeline.run import Run
from lve.reporting import REPORTERS
from lve.spec.spec import Spec
from lve.workspace import Workspace, display_path


def record_tests(words: Mapping[str, Any], chosen: Mapping[str, Any]) -> int:
    """Run and record the tests. Return the exit code of `lve run`, but 0 if a test has failed or is
    inconclusive.

    Args:
        words: the values of all options.
        chosen: the fields of `RunOptions` that they set.

    Raises:
        LveError: a mistake of the user.
    """
    options = RunOptions(**chosen, binds_answers=True)
    paths = list(words["paths"]) or ["."]
    workspace = choose_workspace(paths)
    if options.state is None and (note := note_on_session_dir(workspace)):
        print_message(f"{note}; --session-dir names another folder")
    loaded = load_tests(paths, workspace, warn=warn, options=options)
    if loaded.invalid and not loaded.specs:
        return _print_invalid(loaded.invalid)
    if words["accept"]:
        code = accept_tests(loaded.specs, workspace)
        return _print_invalid(loaded.invalid) if loaded.invalid else code
    return _record(paths, loaded, workspace, options, words)


def _record(
    paths: Sequence[str],
    loaded: LoadedTests,
    workspace: Workspace,
    options: RunOptions,
    words: Mapping[str, Any],
) -> int:
    """Ask models, and record their answers; arguments and result as `record_tests`."""
    stale = None
    target = Target(words["name"], words["author"], words["with_prompt"], options.model_args)
    provider = partial(provider_of, settings=workspace.settings, base_url=options.base_url)
    if words["stale"]:
        recording: Recording = Renewal(loaded.specs, target, provider_of=provider)
        stale = stale_answers(loaded.specs, options, workspace)
        selection = stale.selection
        if not stale.renewable:
            if not stale.staying:
                print_message("nothing is stale: every bound answer is for the prompt of today")
            code = _print_kept(stale, ExitCode.as_expected)
            return _print_invalid(loaded.invalid) if loaded.invalid else code
    elif _is_one_by_one(words, loaded.specs) or lacks_instances(
        loaded.specs, options, workspace.settings
    ):
        return record_test(loaded.specs, workspace, options, target, words)
    else:
        recording = Recording(loaded.specs, target, provider_of=provider)
        selection = each_args_once(loaded.specs, options, workspace.settings)
    run = partial(Run, workspace, options, loaded, previous=selection)
    result = _recorded(run, recording, paths, workspace)
    code = _ended(recording, result, is_cached=options.use_cache)
    return code if stale is None else _print_kept(stale, code)


def _recorded(
    run: Callable[..., Run], recording: Recording, paths: Sequence[str], workspace: Workspace
) -> RunResult:
    """Run the tests, and write what has arrived, also if the run ends early."""
    reporter = TolerantReporter(REPORTERS["text"](sys.stdout, "normal"))
    watcher = ReportWatcher(reporter, reports_earlier=False, shows_progress=sys.stderr.isatty())
    watchers = [recording, watcher]
    try:
        with closing(watcher):
            return asyncio.run(
                run(warn=watcher.warn).execute(paths, watchers=watchers, say=watcher.say)
            )
    finally:
        written = recording.write()
        tell(recorded={str(display_path(file)): count for file, count in written.items()})
        for file, count in written.items():
            print_line(f"recorded {count} in {display_path(file)}")
        for failure in recording.failures:
            print_error(failure)


def _ended(recording: Recording, result: RunResult, *, is_cached: bool) -> int:
    """Print what isn't recorded, and return the exit code."""
    if recording.left_out:
        print_message(f"{recording.left_out} without a verdict are not recorded")
    if result.summary.error_kinds()[CHECKER_ERROR]:
        print_message(record_again(is_cached=is_cached))
    if recording.with_secrets:
        print_message(f"{recording.with_secrets} with a secret among their args are not recorded")
    for path in sorted(result.summary.unavailable):
        print_message(f"skipped {path}: {result.summary.skipped[path]}")
    _print_invalid(result.invalid)
    code = result.exit_code()
    if code in (ExitCode.failed, ExitCode.inconclusive):  # a few answers can't decide a pass rate
        code = ExitCode.as_expected
    return ExitCode.errors if recording.failures and code == ExitCode.as_expected else code


def _print_kept(stale: StaleAnswers, code: int) -> int:
    """Print which stale answers stay as they are, and return the exit code."""
    for line in stale.lines():
        print_message(line)
    return ExitCode.errors if stale.staying and code == ExitCode.as_expected else code


def _print_invalid(tests: Iterable[InvalidTest]) -> ExitCode:
    print_problems(problem for test in tests for problem in test.problems)
    return ExitCode.invalid


def _is_one_by_one(words: Mapping[str, object], specs: Sequence[Spec]) -> bool:
    """Whether each answer is recorded when it arrives, not at the end of a run of all tests."""
    source = words["params"] or words["dataset"] or words["number"] or words["loop"]
    return bool(source) or (len(specs) == 1 and can_ask() and not words["yes"])
