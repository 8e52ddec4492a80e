"""Where tests are: folders and valid names of new ones, the address of the schema, and tests by the
end of their path: `lve check greeting` for `repository/manners/greeting`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from lve.documents.validation.schema import schema_address
from lve.errors import UsageError
from lve.escape import excerpt, first_names
from lve.file_names import CHECKER_FOLDER, DOCUMENT_NAMES, INSTANCE_FOLDER
from lve.spec.discover import SKIPPED_FOLDERS, discover, is_session_name
from lve.spec.location import REPOSITORY
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


SCHEMA_FOLDER = "schemas"
"""The folder of a workspace with its own copies of schemas."""
MAX_NAME = 80
"""Characters of the longest name of a folder."""
_NAME = re.compile(rf"[^\W_][\w.-]{{0,{MAX_NAME - 1}}}(?<!\.)")
_NEVER = SKIPPED_FOLDERS | {INSTANCE_FOLDER, CHECKER_FOLDER}


def refusal_of_name(name: str) -> str | None:
    """Return why a folder of tests can't have this name; None if it can."""
    if len(name) > MAX_NAME:
        return f"it has {len(name)} characters, but at most {MAX_NAME} are allowed"
    if not _NAME.fullmatch(name):
        return "a name has letters, digits, `_`, `-` and `.`, and begins with a letter or digit"
    if name.lower() in _NEVER:
        return "lve doesn't search folders of this name for tests"
    return None


def home_of_tests(root: Path) -> Path:
    """Return the folder of a workspace that contains the categories."""
    home = root / REPOSITORY
    return home if home.is_dir() else root


def categories(root: Path) -> list[str]:
    """Return the names of the folders that may be categories, sorted."""
    try:
        names = sorted(entry.name for entry in home_of_tests(root).iterdir() if entry.is_dir())
    except OSError:
        return []
    return [name for name in names if refusal_of_name(name) is None]


def new_folder(path: Path) -> Path:
    """Return the absolute folder of a new test.

    Args:
        path: the path that the user gives: the folder's, or its document's.

    Raises:
        UsageError: it exists and isn't empty, has an invalid name, or can't be written.
    """
    folder = path.parent if path.name in DOCUMENT_NAMES else path
    missing = folder.absolute()
    if ".." in folder.parts:
        missing = missing.resolve()
    target = missing
    if target == Path.cwd():
        raise UsageError(
            "the current folder can't become a test: name a folder in it", code="bad_name"
        )
    while not os.path.lexists(missing):
        if reason := refusal_of_name(missing.name):
            raise UsageError(
                f"a test can't be in a folder {excerpt(missing.name)!r}: {reason}", code="bad_name"
            )
        missing = missing.parent
    if not missing.is_dir():
        raise UsageError(f"{display_path(missing)} is not a folder", code="bad_name")
    if missing == target and any(target.iterdir()):
        raise UsageError(
            f"{display_path(target)} exists, and nothing is overwritten: name another folder",
            code="exists",
        )
    if not os.access(missing, os.W_OK | os.X_OK):
        raise UsageError(
            f"{display_path(missing)} can't be written to: it is read-only", code="unwritable"
        )
    return target


def schema_of_tests(folder: Path, root: Path) -> str:
    """Return the address of the schema of test documents, for an editor: the relative path of the
    workspace's copy, or the URL of the published schema.

    Args:
        folder: the test's folder.
        root: the root of the workspace.
    """
    own = root / SCHEMA_FOLDER / "test.schema.json"
    if own.is_file() and folder.is_relative_to(root):
        return Path(os.path.relpath(own, folder)).as_posix()
    return schema_address("test")
