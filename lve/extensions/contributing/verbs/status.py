"""`lve contrib status`: shows which tests of this clone have changed, and their problems."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from lve.cli.find_tests import problem_json
from lve.cli.printing import Note, View
from lve.cli.shared_options import shows
from lve.errors import Problem
from lve.escape import first_names
from lve.exit_code import ExitCode
from lve.extensions.contributing.changes import (
    ChangedTest,
    Changes,
    committed,
    contribution_problems,
    shown_folder,
    uncommitted,
)
from lve.extensions.contributing.git import checkout_root, pull_request_base
from lve.plurals import amount

SHOWN = 5
"""Changed files outside of tests that are named."""


@click.command()
@shows
def status() -> View:
    """Show which tests you have changed, and what they still need.

    Checks new and changed tests like `lve check --contribute`. The exit code is 2 if one has
    errors.

    \b
    lve contrib status
    lve contrib status --json
    """
    root = checkout_root(Path.cwd())
    changes, base = uncommitted(root), pull_request_base(root)
    ahead = committed(root, base) if base is not None else Changes((), ())
    checked = [(change, contribution_problems(root, change)) for change in changes.tests]
    errors = any(problem.severity == "error" for _, lacks in checked for problem in lacks)
    return View(
        lambda: _document(checked, changes, ahead, base),
        _lines(root, checked, changes, ahead, base),
        ExitCode.invalid if errors else ExitCode.as_expected,
    )


def _lines(
    root: Path,
    checked: list[tuple[ChangedTest, list[Problem]]],
    changes: Changes,
    ahead: Changes,
    base: str | None,
) -> Iterator[str]:
    for change, lacks in checked:
        state = "ok" if not lacks else amount(len(lacks), "problem")
        where, files = shown_folder(root, change), amount(len(change.files), "file")
        yield f"{change.kind:8} {where}  {files}{_checked(change, state)}"
        for problem in lacks:
            yield f"    {problem.message_with_code}"
    for change in ahead.tests:
        yield f"{'commit':8} {shown_folder(root, change)}  {change.kind}, not in {base} yet"
    if changes.other:
        yield f"{'other':8} {first_names(changes.other, SHOWN)}"
    if not (checked or ahead.tests or changes.other):
        yield Note("nothing has changed")
    elif (step := _next_step(root, checked, ahead)) is not None:
        yield Note(step)


def _next_step(
    root: Path, checked: list[tuple[ChangedTest, list[Problem]]], ahead: Changes
) -> str | None:
    if not checked:
        return "`lve contrib pr` makes a pull request" if ahead.tests else None
    ready = (test for test, lacks in checked if all(each.severity != "error" for each in lacks))
    if (first := next(ready, None)) is None:
        return "nothing to commit yet: fix these errors first"
    what = "it" if len(checked) == 1 else "the first one without errors"
    return f"`lve contrib commit {shlex.quote(shown_folder(root, first))}` commits {what}"


def _checked(change: ChangedTest, state: str) -> str:
    return "" if change.kind == "deleted" else f"  {state}"


def _document(
    checked: list[tuple[ChangedTest, list[Problem]]],
    changes: Changes,
    ahead: Changes,
    base: str | None,
) -> dict[str, object]:
    return {
        "tests": [
            {**_change(change), "problems": [problem_json(problem) for problem in lacks]}
            for change, lacks in checked
        ],
        "other": list(changes.other),
        "base": base,
        "committed": [_change(change) for change in ahead.tests],
    }


def _change(change: ChangedTest) -> dict[str, object]:
    return {"path": change.folder, "kind": change.kind, "files": list(change.files)}
