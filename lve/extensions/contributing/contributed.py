"""Checks and loads changed tests, for the verbs of contributors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from lve.cli.check.command import MAX_ROWS, each_checked
from lve.cli.printing import print_problem
from lve.errors import Problem
from lve.extensions.contributing.changes import ChangedTest
from lve.file_names import DOCUMENT_NAMES
from lve.pipeline.choosing.loading import choose_workspace, load_test
from lve.spec.spec import Spec


def contribution_problems(root: Path, change: ChangedTest) -> list[Problem]:
    """Return the problems that `lve check --contribute` finds in a changed test; none if the test
    is deleted."""
    if change.kind == "deleted":
        return []
    checks = each_checked((str(_document(root, change)),), MAX_ROWS, contribute=True)
    return [problem for checked in checks for problem in checked.problems]


def is_ready(root: Path, changes: Sequence[ChangedTest]) -> bool:
    """Print the problems of changed tests; return whether none is an error."""
    problems = [problem for change in changes for problem in contribution_problems(root, change)]
    for problem in problems:
        print_problem(problem)
    return not any(problem.severity == "error" for problem in problems)


def load_changed(root: Path, change: ChangedTest) -> Spec:
    """Load a changed test.

    Raises:
        SpecError: it is invalid.
    """
    document = _document(root, change)
    return load_test(document, choose_workspace([document]))


def shown_folder(root: Path, change: ChangedTest) -> str:
    """Return the folder of a test, relative to the current folder."""
    return os.path.relpath(root / change.folder)


def _document(root: Path, change: ChangedTest) -> Path:
    """Return the document of a test. Its folder would also stand for the tests below it."""
    folder = root / change.folder
    return next((folder / name for name in DOCUMENT_NAMES if (folder / name).is_file()), folder)
