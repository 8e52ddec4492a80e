"""What the verbs for contributors have in common: a changed test, and what it lacks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from lve.cli.check.command import MAX_ROWS, each_checked
from lve.cli.printing import print_problem
from lve.contributing.changes import ChangedTest
from lve.conventions import DOCUMENT_NAMES
from lve.errors import Problem
from lve.pipeline.choosing.loading import choose_workspace, load_test
from lve.spec.model import Spec


def contribution_problems(root: Path, change: ChangedTest) -> list[Problem]:
    """Return what a changed test lacks to be contributed; nothing of one that is deleted."""
    if change.kind == "deleted":
        return []
    checks = each_checked((str(_document(root, change)),), MAX_ROWS, contribute=True)
    return [problem for checked in checks for problem in checked.problems]


def is_ready(root: Path, changes: Sequence[ChangedTest]) -> bool:
    """Whether changed tests lack nothing; says what they lack."""
    found = [problem for change in changes for problem in contribution_problems(root, change)]
    for problem in found:
        print_problem(problem)
    return not any(problem.severity == "error" for problem in found)


def load_changed(root: Path, change: ChangedTest) -> Spec:
    """Read a changed test.

    Raises:
        SpecError: it can't be used.
    """
    document = _document(root, change)
    return load_test(document, choose_workspace([document]))


def shown_folder(root: Path, change: ChangedTest) -> str:
    """Return the folder of a test as a user here would type it."""
    return os.path.relpath(root / change.folder)


def _document(root: Path, change: ChangedTest) -> Path:
    """Return the document of a test, so that tests in folders below it aren't meant."""
    folder = root / change.folder
    return next((folder / name for name in DOCUMENT_NAMES if (folder / name).is_file()), folder)
