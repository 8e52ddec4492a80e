"""The command `lve record`: runs a test and keeps the answers in its `instances/` folder."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import click

from lve.cli.ask import can_ask
from lve.cli.printing import print_error, print_line, print_message, print_problems, warn
from lve.cli.run.command_options import given_options, run_options, temperature_option
from lve.cli.run.report_watcher import ReportWatcher
from lve.cli.shared_options import paths_argument, refuse_pairs, value_callback
from lve.cli.tolerant_reporter import TolerantReporter
from lve.error_kinds import CHECKER_ERROR
from lve.exit_code import ExitCode
from lve.extensions.recording.accepting import accept_tests
from lve.extensions.recording.record_args import lacks_instances
from lve.extensions.recording.record_one import record_test
from lve.extensions.recording.recording import Recording, Target, each_args_once, record_again
from lve.extensions.recording.renewal import Renewal, StaleAnswers, stale_answers
from lve.models.registry import provider_of
from lve.options.values import COUNT
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
from lve.run_options import RunOptions
from lve.spec.model import Spec
from lve.workspace import Workspace, display_path


@click.command()
@paths_argument
@run_options("record")
@temperature_option
@click.option(
    "--repeats",
    callback=value_callback(COUNT),
    metavar="N",
    help=f"Record N answers of every row.  [{COUNT.range}; default: as the test asks]",
)
@click.option(
    "--to", "name", metavar="NAME", help="Name of the instances file.  [default: the model's]"
)
@click.option("--author", envvar="LVE_AUTHOR", help="Your name.  [default: that of LVE_AUTHOR]")
@click.option(
    "--params",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Take parameters from the rows of this file (JSONL, CSV, JSON or YAML).",
)
@click.option(
    "--dataset", is_flag=True, help="Take parameters only from the rows of the test's data set."
)
@click.option(
    "-n",
    "--number",
    callback=value_callback(COUNT),
    metavar="N",
    help="Stop after N answers; repeat the sets of args until there are N.  [x>=1]",
)
@click.option(
    "--loop", is_flag=True, help="Ask for parameters, and for further ones after each answer."
)
@click.option("-y", "--yes", is_flag=True, help="Keep every answer without asking.")
@click.option(
    "--with-prompt/--without-prompt",
    default=True,
    help="Keep all messages, too (as prompt_out).  [default: with]",
)
@click.option(
    "--stale",
    is_flag=True,
    help="Ask the model again for its answers whose prompt has changed, and for no others; the new "
    "answers replace them.",
)
@click.option(
    "--accept",
    is_flag=True,
    help="Ask nothing: keep the recorded answers, which you have read, for the prompt of today.",
)
@click.pass_context
def record(ctx: click.Context, /, **given: Any) -> None:
    """Run a test and keep the answers in its instances folder.

    Appends the answers to instances/NAME.jsonl in the format of the LVE repository. Later, `lve
    run` compares new verdicts with them, and the model `replay` gives them as answers. They are for
    this prompt: once it has changed, they are stale (`stale_recording`), until --stale or --accept.
    Without -p, records an answer for every set of args of the test, or of its examples; as many as
    the test has `repeats`. What judges and embedders say is kept, too, so that the model `replay`
    gives the same verdict without a key. Errors are not recorded.

    On a terminal, with one test, it asks for missing parameters, shows each answer as it arrives
    and its verdict, and asks whether to keep it. A kept answer is written to disk at once.

    \b
    lve record TEST --loop
    lve record TEST --model openai/gpt-6-luna -p name=Ann
    lve record TEST --model openai/gpt-6-luna --temperature 1 --repeats 5 --to samples
    lve record TEST --stale
    lve record TEST --accept
    """
    if given["name"] is not None and not _is_file_name(given["name"]):
        raise click.BadParameter("must be the name of a file, without folders", param_hint="'--to'")
    refuse_pairs(given, ("params", "dataset"), ("yes", "loop"), ("stale", "accept"))
    refuse_pairs(given, *product(("stale", "accept"), ("params", "dataset", "loop", "number")))
    refuse_pairs(given, ("stale", "name"))
    repeats = 1 if given["stale"] else given["repeats"]
    ctx.exit(execute(given, {**given_options(given), "repeats": repeats}))


def execute(given: Mapping[str, Any], chosen: Mapping[str, Any]) -> int:
    """Run and record the tests. Return the exit code of `lve run`, but 0 if a test has failed or is
    inconclusive.

    Args:
        given: the values of all options.
        chosen: the fields of `RunOptions` that they set.

    Raises:
        LveError: a mistake of the user.
    """
    options = RunOptions(**chosen, binds_answers=True)
    paths = list(given["paths"]) or ["."]
    workspace = choose_workspace(paths)
    if options.state is None and (note := note_on_session_dir(workspace)):
        print_message(f"{note}; --session-dir names another folder")
    loaded = load_tests(paths, workspace, warn=warn)
    if loaded.invalid and not loaded.specs:
        return _print_invalid(loaded.invalid)
    if given["accept"]:
        code = accept_tests(loaded.specs, workspace)
        return _print_invalid(loaded.invalid) if loaded.invalid else code
    return _record(paths, loaded, workspace, options, given)


def _record(
    paths: Sequence[str],
    loaded: LoadedTests,
    workspace: Workspace,
    options: RunOptions,
    given: Mapping[str, Any],
) -> int:
    """Ask models, and record their answers; arguments and result as `execute`."""
    stale = None
    target = Target(given["name"], given["author"], given["with_prompt"], options.model_args)
    provider = partial(provider_of, settings=workspace.settings, base_url=options.base_url)
    if given["stale"]:
        recording: Recording = Renewal(loaded.specs, target, provider_of=provider)
        stale = stale_answers(loaded.specs, options, workspace)
        selection = stale.selection
        if not stale.wanted:
            if not stale.kept:
                print_message("nothing is stale: every bound answer is for the prompt of today")
            code = _print_kept(stale, ExitCode.as_expected)
            return _print_invalid(loaded.invalid) if loaded.invalid else code
    elif _is_one_by_one(given, loaded.specs) or lacks_instances(
        loaded.specs, options, workspace.settings
    ):
        return record_test(loaded.specs, workspace, options, target, given)
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
        written = recording.write(workspace.redactor())
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
    return ExitCode.errors if stale.kept and code == ExitCode.as_expected else code


def _print_invalid(tests: Iterable[InvalidTest]) -> ExitCode:
    print_problems(problem for test in tests for problem in test.problems)
    return ExitCode.invalid


def _is_file_name(name: str) -> bool:
    return bool(name) and not name.startswith(".") and not set(name) & set("/\\:\0")


def _is_one_by_one(given: Mapping[str, Any], specs: Sequence[Spec]) -> bool:
    """Whether each answer is recorded when it arrives, not at the end of a run of all tests."""
    wanted = given["params"] or given["dataset"] or given["number"] or given["loop"]
    return bool(wanted) or (len(specs) == 1 and can_ask() and not given["yes"])
