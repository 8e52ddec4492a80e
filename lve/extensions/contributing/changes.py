"""Finds the tests of a checkout that have changed, by git; checks and loads them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Literal

from lve.cli.check.command import MAX_ROWS, each_checked
from lve.cli.printing import print_problem
from lve.errors import Problem
from lve.extensions.contributing.git import git, has_commit, names
from lve.file_names import DOCUMENT_NAMES
from lve.named_tuples import NamedTuple
from lve.pipeline.choosing.loading import choose_workspace, load_test
from lve.spec.spec import Spec

Kind = Literal["new", "updated", "deleted"]
_PLAIN = ("--no-renames", "--ignore-submodules=dirty")
"""A renamed file is deleted and new; git doesn't look for changes inside submodules, because it
would run programs that their configuration names."""


class ChangedTest(NamedTuple):
    """A test folder with changed files."""

    folder: str
    """Relative to the checkout's root, with `/`."""
    kind: Kind
    files: tuple[str, ...]


class Changes(NamedTuple):
    """Changed files, by test."""

    tests: tuple[ChangedTest, ...]
    other: tuple[str, ...]
    """Files that belong to no test."""


def uncommitted(root: Path) -> Changes:
    """Return the changes since the last commit, including untracked files."""
    listed = git(root, "status", "--porcelain=v1", "-z", "--untracked-files=all", *_PLAIN)
    files = [entry[3:] for entry in names(listed)]
    return _by_test(root, files, "HEAD", _documents_on_disk(root, files))


def committed(root: Path, base: str) -> Changes:
    """Return the changes of this branch's commits.

    Args:
        root: the root of the checkout.
        base: the branch that this one began from, such as `origin/main`.
    """
    began = git(root, "merge-base", "--end-of-options", base, "HEAD").strip()
    files = names(git(root, "diff", "--name-only", "-z", *_PLAIN, began, "HEAD"))
    return _by_test(root, files, began, _documents_in(root, "HEAD"))


def unmerged(root: Path) -> list[str]:
    """Return the files with a merge conflict."""
    return names(git(root, "diff", "--name-only", "-z", "--diff-filter=U", *_PLAIN))


def staged(root: Path) -> list[str]:
    """Return the staged files."""
    return names(git(root, "diff", "--cached", "--name-only", "-z", *_PLAIN))


def _by_test(root: Path, files: Iterable[str], before: str, now: set[str]) -> Changes:
    earlier = _documents_in(root, before)
    tests: dict[str, list[str]] = {}
    other: list[str] = []
    for file in sorted(files):
        folders = map(str, PurePosixPath(file).parents)
        home = next((parent for parent in folders if parent in now or parent in earlier), None)
        (other if home is None else tests.setdefault(home, [])).append(file)
    changes = (
        ChangedTest(folder, _kind(folder, earlier, now), tuple(own))
        for folder, own in tests.items()
    )
    return Changes(tuple(changes), tuple(other))


def _kind(folder: str, earlier: set[str], now: set[str]) -> Kind:
    if folder not in now:
        return "deleted"
    return "updated" if folder in earlier else "new"


def _documents_in(root: Path, commit: str) -> set[str]:
    """Return the folders with test documents in a commit."""
    if not has_commit(root, commit):
        return set()
    files = map(PurePosixPath, names(git(root, "ls-tree", "-r", "-z", "--name-only", commit)))
    return {str(file.parent) for file in files if file.name in DOCUMENT_NAMES}


def _documents_on_disk(root: Path, files: Iterable[str]) -> set[str]:
    """Return the parent folders of files that have a test document on disk."""
    folders = {str(folder) for file in files for folder in PurePosixPath(file).parents}
    return {
        parent
        for parent in folders
        if any((root / parent / name).is_file() for name in DOCUMENT_NAMES)
    }


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
