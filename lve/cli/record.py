"""`lve record`: run a test and keep the answers in its `instances/` folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from lve.cli.options import (
    parameters_option,
    parse_assignments,
    parse_model_args,
    paths_argument,
    trust_option,
)
from lve.cli.run import POSITIVE, model_options
from lve.cli.talk import say_line, tell, tell_problem, warn
from lve.exit_code import ExitCode

SAME_NAME = ("models", "base_url", "instances", "index", "trust", "stream")
"""Options of the command line that are fields of `RunOptions` under the same name."""
NUMBERS = {
    "timeout": "timeout_s",
    "deadline": "deadline_s",
    "repeats": "repeats",
    "max_connections": "max_connections",
    "max_tests": "max_tests",
}


@click.command()
@paths_argument
@model_options
@parameters_option
@click.option("--instances", multiple=True, metavar="NAME", help="Only args of this file.")
@click.option("--index", type=click.IntRange(min=0), help="Only this instance, from 0.")
@click.option("--repeats", type=POSITIVE, default=1, help="Record N answers of every instance.")
@click.option("--to", "name", metavar="NAME", help="Instances file.  [default: the model's name]")
@click.option("--author", envvar="LVE_AUTHOR", help="Who records. Also: LVE_AUTHOR.")
@click.option("--with-prompt", is_flag=True, help="Keep all messages too (prompt_out).")
@trust_option
@click.pass_context
def record(ctx: click.Context, /, **given: Any) -> None:
    """Run a test and keep the answers in its instances folder.

    Answers are appended to instances/NAME.jsonl in the LVE repository's format; `lve run` compares
    with them later, and the model `replay` gives them again. Without -p, every set of args that
    the test has is recorded once more. Errors are not recorded.

    \b
    lve record TEST --model openai/gpt-4o-mini -p name=Ann
    lve record TEST --model openai/gpt-4o-mini --temperature 1 --repeats 5 --to samples
    """
    ctx.exit(execute(given))


def execute(given: Mapping[str, Any]) -> int:
    """Do what is asked for and return the exit code, as for `lve run`; that a test failed is no
    failure of recording it."""
    import asyncio
    import sys
    from functools import partial

    from lve.cli.run_watcher import ReportWatcher
    from lve.models.registry import provider_of
    from lve.pipeline.loading import choose_workspace, load_tests
    from lve.pipeline.recording import Recording, Target, each_args_once
    from lve.pipeline.run import Run
    from lve.reporting import REPORTERS
    from lve.results.redact import redactor
    from lve.workspace import display_path

    options = run_options(given)
    paths = list(given["paths"]) or ["."]
    workspace = choose_workspace(paths)
    loaded = load_tests(paths, workspace)
    target = Target(given["name"], given["author"], given["with_prompt"], options.model_args)
    provider = partial(provider_of, settings=workspace.settings, base_url=options.base_url)
    recording = Recording(loaded.specs, target, provider_of=provider)
    selection = each_args_once(loaded.specs, options, workspace.settings)
    run = Run(workspace, options, loaded, watchers=[recording], earlier=selection, warn=warn)
    watcher = ReportWatcher(
        REPORTERS["text"](sys.stdout, "normal"),
        tells_earlier=False,
        shows_progress=sys.stderr.isatty(),
    )
    run.watch(watcher, say=watcher.say)
    try:
        result = asyncio.run(run.execute(paths))
    finally:
        watcher.close()
        written = recording.write(redactor(workspace))
        for file, count in written.items():
            say_line(f"recorded {count} in {display_path(file)}")
    if recording.left_out:
        tell(f"{recording.left_out} without a verdict are not recorded")
    for path in sorted(result.summary.unavailable):
        tell(f"skipped {path}: {result.summary.skipped[path]}")
    for invalid in result.invalid:
        for problem in invalid.problems:
            tell_problem(problem)
    code = result.exit_code()
    return ExitCode.as_expected if code == ExitCode.failed else code


def run_options(given: Mapping[str, Any]) -> Any:
    """Return the options of the run.

    Raises:
        click.UsageError: an option can't be used.
    """
    from lve.pipeline.options import RunOptions

    model_args = parse_model_args(given["model_args"])
    if given["temperature"] is not None:
        if "temperature" in model_args:
            raise click.UsageError("give --temperature or --model-arg temperature=..., not both")
        model_args["temperature"] = given["temperature"]
    if given["name"] is not None and not _is_file_name(given["name"]):
        raise click.BadParameter("it is a file's name, without folders", param_hint="'--to'")
    return RunOptions(
        parameters=parse_assignments(given["parameters"], option="-p"),
        model_args=model_args,
        **{name: given[name] for name in SAME_NAME},
        **{field: given[name] for name, field in NUMBERS.items()},
    )


def _is_file_name(name: str) -> bool:
    return bool(name) and not name.startswith(".") and not set(name) & set("/\\:\0")
