"""Finds and loads the tests that the command line names, and reports their problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lve.cli.printing import View, print_message, print_problems
from lve.data.instances import iter_instances
from lve.errors import LveError, Problem, with_code
from lve.exit_code import ExitCode
from lve.extension_table import extension_part
from lve.limits.problems import limit_problems
from lve.options.run_options import DEFAULTS, RunOptions
from lve.pipeline.choosing.all_problems import problems_of
from lve.pipeline.choosing.limits_and_filters import choose
from lve.pipeline.choosing.loading import load_chosen
from lve.spec.discover import discover
from lve.spec.spec import Spec
from lve.workspace import Workspace

NOTHING_SELECTED = "nothing_selected"
"""The code of the message `no_tests`."""


def each_test(
    paths: Sequence[str],
    workspace: Workspace,
    problems: list[Problem],
    options: RunOptions = DEFAULTS,
) -> Iterator[Spec]:
    """Yield the tests below some paths, one by one.

    Args:
        paths: where to look; by default the current folder.
        workspace: the workspace from `choose_workspace`.
        problems: gets the problems of tests that can't be read.
        options: the user's options, which may select only some tests.

    Raises:
        UsageError: a path does not exist.
    """
    for file in discover(paths or (".",), report=problems.append):
        try:
            specs = load_chosen(file, workspace, options)
        except LveError as error:
            problems += problems_of(file, error)
        else:
            yield from specs


def picking(options: RunOptions, workspace: Workspace) -> RunOptions:
    """Return the options, with the failures of the session of `--failed-in`.

    Raises:
        NoSessionError, SessionError: the session doesn't exist or can't be read.
    """
    if options.failed_in is None:
        return options
    from lve.pipeline.choosing.failures import with_failures  # late: few name a session

    return with_failures(options, workspace)


def count_instances(
    spec: Spec, problems: list[Problem], options: RunOptions = DEFAULTS
) -> dict[str, int]:
    """Return the number of valid instances per source. Add the problems of others to `problems`."""
    counts: dict[str, int] = {}
    for instance in choose(spec, limit_problems(iter_instances(spec, once=True)), options):
        if isinstance(instance, Problem):
            problems.append(instance)
        else:
            counts[instance.source] = counts.get(instance.source, 0) + 1
    return counts


def exit_code(
    tests: int,
    problems: Sequence[Problem],
    paths: Sequence[str],
    options: RunOptions = DEFAULTS,
) -> int:
    """Print problems on stderr and return the exit code."""
    print_problems(problems)
    if any(problem.severity == "error" for problem in problems):
        return ExitCode.invalid
    if not tests:
        print_no_tests(paths, options)
        return ExitCode.nothing_selected
    return ExitCode.as_expected


def print_no_tests(paths: Sequence[str], options: RunOptions = DEFAULTS) -> None:
    """Print `no_tests` on stderr."""
    print_message(with_code(no_tests(paths, options), NOTHING_SELECTED))


def no_tests(paths: Sequence[str], options: RunOptions = DEFAULTS) -> str:
    """Return the message for paths without tests, or without tests that the options select."""
    where = " ".join(path for path in paths if path != ".") or "this folder"
    filters = {"-k": options.match, "--tag": options.tags, "--failed-in": options.failed_in}
    filters["--prompts"] = options.prompts
    picks = [word for word, value in filters.items() if value]
    if picks:
        return f"no test in {where} matches {' and '.join(picks)}: `lve list` shows paths and tags"
    todo = "name a test.json, a test.yaml or a folder that contains some, or start with `lve init`"
    hints = (extension_part("other tool")(Path(path)) for path in paths or ["."])
    return f"no tests in {where}: {next(filter(None, hints), todo)}"


def view_of_tests(
    tests: Sequence[Any], problems: Iterable[Problem], lines: Iterable[str] = ()
) -> View:
    """Return a view of tests: their descriptions and problems as a document, and lines."""
    documents = [problem_json(problem) for problem in problems]
    return View(lambda: {"tests": tests, "problems": documents}, lines)


def problem_json(problem: Problem) -> dict[str, object]:
    """Return a problem as JSON."""
    names = ("line", "column", "path", "message", "hint", "severity", "code")
    return {"file": str(problem.file), **{name: getattr(problem, name) for name in names}}
