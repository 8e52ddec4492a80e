"""The tests that a command line names: found, loaded, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from lve.errors import Problem, SpecError
from lve.spec.discover import discover
from lve.spec.load import load_spec
from lve.spec.model import Spec

INVALID_EXIT_CODE = 2
NOTHING_EXIT_CODE = 5


def each_test(paths: Sequence[str], problems: list[Problem]) -> Iterator[Spec]:
    """Yield the tests below some paths, lazily; the current folder when there is none. What is
    wrong with the others is added to `problems`.

    Raises:
        UsageError: a path does not exist.
    """
    for file in discover(paths or (".",)):
        try:
            yield load_spec(file)
        except SpecError as error:
            problems += error.problems


def exit_code(found: int, problems: Sequence[Problem], paths: Sequence[str]) -> int:
    """Tell what is wrong on stderr, and return the exit code that goes with it."""
    for problem in problems:
        click.echo(f"lve: {problem}", err=True)
    if any(problem.severity == "error" for problem in problems):
        return INVALID_EXIT_CODE
    if not found:
        where = " ".join(paths) or "this folder"
        click.echo(
            f"lve: no tests in {where}: name a test.json, a test.yaml or a folder above some",
            err=True,
        )
        return NOTHING_EXIT_CODE
    return 0


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
