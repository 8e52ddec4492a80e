"""Tests by the end of their path: `lve check greeting` for `repository/manners/greeting`."""

from __future__ import annotations

import os.path
from collections.abc import Sequence
from pathlib import Path

from lve.errors import UsageError
from lve.escape import first_names
from lve.extensions.authoring.places import home_of_tests
from lve.spec.discover import discover, is_session_name
from lve.workspace import display_path, find_root, is_root

MAX_NAMED = 5
"""Tests that are named if several have the same end."""


def documents_of_name(word: str) -> Sequence[Path]:
    """Return the document of the test in the workspace whose folder's path ends with `word`.

    Args:
        word: what was typed for a path that there isn't, such as `greeting` or `manners/greeting`.

    Returns:
        One path, or none: no test has that name, `word` was meant as a path, as it begins with a
        folder that is here, or this is no workspace.

    Raises:
        UsageError: several tests have that name.
    """
    root = find_root(Path.cwd())
    if is_path(word) or is_session_name(word) or not is_root(root):
        return []
    parts = Path(word).parts
    documents = discover([display_path(home_of_tests(root))], report=lambda problem: None)
    named = [file for file in documents if file.parent.absolute().parts[-len(parts) :] == parts]
    if len(named) > 1:
        shown = first_names([str(file.parent) for file in named], MAX_NAMED)
        raise UsageError(
            f"{word} names {len(named)} tests: {shown}; give more of the path",
            code="no_such_path",
        )
    return named


def folder_of_new_test(path: Path, root: Path) -> Path:
    """Return where a new test goes: in the workspace's root, a name that begins with no folder
    there means one in the folder of tests.

    Args:
        path: what was typed.
        root: the root of the workspace.
    """
    if Path.cwd() != root or is_path(str(path)):
        return path
    return display_path(home_of_tests(root)) / path


def is_path(word: str) -> bool:
    """Whether a word begins with something that is in the current folder, or with its root."""
    first = Path(word).parts[:1]
    return not first or Path(word).is_absolute() or os.path.lexists(first[0])
