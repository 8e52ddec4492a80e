"""The tests that a command line names: found, loaded, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lve.cli.talk import tell, tell_problem
from lve.errors import LveError, Problem
from lve.exit_code import ExitCode
from lve.pipeline.loading import problems_of
from lve.spec.discover import discover
from lve.spec.load import load_spec
from lve.spec.model import Spec
from lve.spec.settings import load_workspace
from lve.workspace import Caps, find_root


def each_test(paths: Sequence[str], problems: list[Problem]) -> Iterator[Spec]:
    """Yield the tests below some paths, lazily; the current folder when there is none. What is
    wrong with the others is added to `problems`.

    Raises:
        UsageError: a path does not exist, or the settings can't be used.
    """
    for file, root, caps in each_document(paths):
        try:
            yield load_spec(file, root, caps=caps)
        except LveError as error:
            problems += problems_of(file, error)


def each_document(paths: Sequence[str]) -> Iterator[tuple[Path, Path, Caps]]:
    """Yield the test documents below some paths, each with its workspace's root and caps.

    Raises:
        UsageError: a path does not exist, or the settings can't be used.
    """
    caps: dict[Path, Caps] = {}
    for file in discover(paths or (".",)):
        root = find_root(file)
        if root not in caps:
            caps[root] = load_workspace(root).settings.caps
        yield file, root, caps[root]


def exit_code(found: int, problems: Sequence[Problem], paths: Sequence[str]) -> int:
    """Tell what is wrong on stderr, and return the exit code that goes with it."""
    for problem in problems:
        tell_problem(problem)
    if any(problem.severity == "error" for problem in problems):
        return ExitCode.invalid
    if not found:
        where = " ".join(paths) or "this folder"
        tell(f"no tests in {where}: name a test.json, a test.yaml or a folder above some")
        return ExitCode.nothing_selected
    return ExitCode.as_expected


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
