"""`lve contrib commit`: commits one changed test."""

from __future__ import annotations

import os
import shlex
import textwrap
from collections.abc import Collection
from pathlib import Path

import click

from lve.cli.printing import print_line, print_message, tell
from lve.errors import UsageError
from lve.escape import escape
from lve.exit_code import ExitCode
from lve.extension_table import extension_part
from lve.extensions.contributing.changes import (
    ChangedTest,
    Changes,
    is_ready,
    load_changed,
    shown_folder,
    staged,
    uncommitted,
    unmerged,
)
from lve.extensions.contributing.description import pull_request_title, write_readme
from lve.extensions.contributing.git import checkout_root, commit_files
from lve.extensions.contributing.rules import README, TABLE
from lve.workspace import display_path

WIDTH = 72


@click.command()
@click.argument("path", required=False)
@click.option("-m", "--message", help="First line of the commit message.  [default: Add test NAME]")
def commit(path: str | None, message: str | None) -> int:
    """Commit one changed test, after checking it.

    Commits the test's folder, and the changed table of categories. First it updates the generated
    block of the README (`lve contrib readme`) and checks the test like `lve check --contribute`; a
    test with errors is not committed. If several tests have changed, commit each by its PATH.

    \b
    lve contrib commit
    lve contrib commit repository/privacy/my_test -m "Ask for names in tables"
    """
    root = checkout_root(Path.cwd())
    _refuse_conflicts(root)
    changes = uncommitted(root)
    change = _one(root, changes, path)
    if change is None:
        print_message("no test has changed" if path is None else f"no test in {path} has changed")
        return ExitCode.nothing_selected
    files = {*change.files, *_tables_of(change, changes)}
    _refuse_others(root, files)
    if change.kind != "deleted":
        spec = load_changed(root, change)
        if write_readme(spec):
            print_message(f"{display_path(spec.folder / README)}: written")
            files.add(f"{change.folder}/{README}")
        if not is_ready(root, [change]):
            print_message("not committed: fix these errors first")
            return ExitCode.invalid
    title = message or pull_request_title([change])
    description = "" if change.kind == "deleted" else escape(spec.description)
    body = textwrap.fill(description, WIDTH)
    commit_files(root, files, f"{title}\n\n{body}\n")
    tell(committed=shown_folder(root, change), title=title, files=sorted(files))
    print_line(f"committed {shown_folder(root, change)}: {title}")
    return ExitCode.as_expected


def _one(root: Path, changes: Changes, path: str | None) -> ChangedTest | None:
    """Return the changed test below `path`, or the only changed test; None if there is none.

    Raises:
        UsageError: there are several.
    """
    tests = changes.tests
    if path is not None:
        path = next(map(str, extension_part("tests of a name")(path)), path)
        place = Path(os.path.abspath(path))  # noqa: PTH100 (it may be deleted, or a link)
        tests = tuple(test for test in tests if _is_meant(root / test.folder, place))
    if len(tests) > 1:
        folders = (shlex.quote(shown_folder(root, test)) for test in tests)
        commands = "".join(f"\n    lve contrib commit {folder}" for folder in folders)
        raise UsageError(
            f"{len(tests)} tests have changed, and each gets a commit:{commands}",
            code="several_changes",
        )
    return tests[0] if tests else None


def _is_meant(folder: Path, place: Path) -> bool:
    return folder.is_relative_to(place) or place.parent == folder


def _tables_of(change: ChangedTest, changes: Changes) -> list[str]:
    """Return the changed README with the table of categories that lists the test's category, if
    any.

    The workspace may be a subfolder of the checkout.
    """
    return [
        file
        for file in changes.other
        if f"/{file}".endswith(f"/{TABLE}") and change.folder.startswith(file.removesuffix(README))
    ]


def _refuse_conflicts(root: Path) -> None:
    """Refuse to commit during a merge: git would forget which files are in conflict.

    Raises:
        UsageError: a file has a merge conflict.
    """
    if files := unmerged(root):
        raise UsageError(
            f"{files[0]} has a merge conflict: resolve it, `git add` it, and finish the merge or "
            "rebase (see `git status`)",
            code="git",
        )


def _refuse_others(root: Path, files: Collection[str]) -> None:
    """Refuse to commit while other files are staged.

    Raises:
        UsageError: files outside of the test are staged.
    """
    if others := [file for file in staged(root) if file not in files]:
        raise UsageError(
            f"{others[0]} is staged, too, and isn't part of this test: commit it by itself, or "
            f"`git restore --staged {shlex.quote(others[0])}`",
            code="several_changes",
        )
