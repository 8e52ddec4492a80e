"""Finds and loads the tests that a command line names, and reports what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lve.cli.talk import print_json, tell, tell_problem
from lve.data.instances import iter_instances
from lve.errors import LveError, Problem
from lve.exit_code import ExitCode
from lve.pipeline.all_problems import problems_of
from lve.pipeline.loading import load_test
from lve.problem_limits import few_problems
from lve.spec.discover import discover
from lve.spec.model import Spec
from lve.workspace import Workspace


def each_test(
    paths: Sequence[str], workspace: Workspace, problems: list[Problem]
) -> Iterator[Spec]:
    """Yield the tests below some paths, one by one.

    Args:
        paths: where to look; by default the current folder.
        workspace: the workspace from `choose_workspace`.
        problems: gets the problems of tests that can't be read.

    Raises:
        UsageError: a path does not exist.
    """
    for file in discover(paths or (".",), report=problems.append):
        try:
            spec = load_test(file, workspace)
        except LveError as error:
            problems += problems_of(file, error)
        else:
            yield spec


def count_instances(spec: Spec, problems: list[Problem]) -> dict[str, int]:
    """Return the number of usable instances per source; adds problems of others to `problems`."""
    counts: dict[str, int] = {}
    for instance in few_problems(iter_instances(spec)):
        if isinstance(instance, Problem):
            problems.append(instance)
        else:
            counts[instance.source] = counts.get(instance.source, 0) + 1
    return counts


def exit_code(found: int, problems: Sequence[Problem], paths: Sequence[str]) -> int:
    """Print problems on stderr and return the exit code."""
    for problem in problems:
        tell_problem(problem)
    if any(problem.severity == "error" for problem in problems):
        return ExitCode.invalid
    if not found:
        tell(no_tests(paths))
        return ExitCode.nothing_selected
    return ExitCode.as_expected


def no_tests(paths: Sequence[str]) -> str:
    """Return the message for paths without tests."""
    where = " ".join(paths) or "this folder"
    return f"no tests in {where}: name a test.json, a test.yaml or a folder above some"


def print_tests(tests: Sequence[Any], problems: Iterable[Problem]) -> None:
    """Print descriptions of tests and their problems as one JSON document."""
    print_json({"tests": tests, "problems": [problem_json(problem) for problem in problems]})


def problem_json(problem: Problem) -> dict[str, Any]:
    """Return a problem as JSON."""
    return {
        "file": str(problem.file),
        "line": problem.line,
        "column": problem.column,
        "path": problem.path,
        "message": problem.message,
        "hint": problem.hint,
        "severity": problem.severity,
    }
