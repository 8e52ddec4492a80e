"""`lve init`: makes a workspace."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from lve.cli.check.check_output import print_checked, summary
from lve.cli.check.command import MAX_ROWS, each_checked
from lve.cli.printing import print_line, print_text, tell
from lve.errors import UsageError
from lve.exit_code import ExitCode
from lve.extensions.authoring.new_workspace import (
    FIRST_TEST,
    advice_on,
    files_of_workspace,
    first_test,
    replaced_by,
)
from lve.extensions.authoring.questions import DEFAULT_MODEL
from lve.extensions.authoring.templates import TargetExample, target_examples
from lve.files.inside import reason_of
from lve.files.new_files import write_new_file, write_new_folder
from lve.workspace import display_path, find_root, is_root

MADE, KEPT = "made  ", "kept  "
"""First words of the lines about files."""


@click.command()
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option(
    "-m",
    "--model",
    metavar="MODEL",
    help=f"The default model of the workspace.  [default: that of --target, or {DEFAULT_MODEL}]",
)
@click.option(
    "--target",
    type=click.Choice([*target_examples()]),
    help="Make an example of your application, too: an endpoint, a command or a function.",
)
@click.option("--dry-run", is_flag=True, help="Make nothing; print what would be made.")
def init(folder: Path, model: str | None, target: str | None, dry_run: bool) -> int:
    """Make a workspace: settings, a test that works, a CI file.

    Makes lve.yaml, pytest.ini, .gitignore, a GitHub workflow and a test with recorded answers, so
    that `lve check`, `lve run --model replay` and pytest work at once, offline. Doesn't change
    existing files.

    \b
    lve init
    lve init my_project --model anthropic/claude-sonnet-5
    lve init --target http
    """
    example = None if target is None else target_examples()[target]
    if model is None:
        model = DEFAULT_MODEL if example is None else example.model
    if not model or any(character.isspace() or not character.isprintable() for character in model):
        raise click.BadParameter("must be a name such as openai/NAME", param_hint="'--model'")
    folder = folder.absolute()
    _refuse_inner(folder)
    lines: list[str] = []
    try:
        lines.extend(_make(folder, files_of_workspace(model, example), dry_run=dry_run))
    except OSError as error:
        place = display_path(Path(error.filename)) if error.filename else display_path(folder)
        raise UsageError(
            f"{place} can't be written: {reason_of(error)}", code="unwritable"
        ) from None
    finally:  # printed last: if the reader of stdout is gone, printing ends the command
        for line in lines:
            print_line(line)
    tell(
        folder=str(folder),
        made=[line.removeprefix(MADE) for line in lines if line.startswith(MADE)],
    )
    has_made = any(line.startswith(MADE) for line in lines)
    if dry_run:
        print_text("nothing was made (--dry-run)")
        return ExitCode.as_expected
    return _check(folder, example) if has_made else _print_complete()


def _refuse_inner(folder: Path) -> None:
    """Refuse a folder inside another workspace: that one's settings would apply."""
    if os.path.lexists(folder) and not folder.is_dir():
        raise UsageError(f"{display_path(folder)} is not a folder", code="bad_name")
    above = next(place for place in (folder, *folder.parents) if place.is_dir())
    root = find_root(above)
    if root != folder and is_root(root):
        raise UsageError(
            f"{display_path(folder)} lies in the workspace {root}, whose settings would apply: "
            "make tests there with `lve new`",
            code="nested_workspace",
        )


def _make(folder: Path, files: Mapping[str, str], *, dry_run: bool) -> Iterator[str]:
    """Make the missing files; yield a line about each file."""
    if not dry_run:
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        there = replaced_by(folder, name) or (name if os.path.lexists(folder / name) else None)
        if there is not None:
            advice = advice_on(folder, name, there)
            yield f"{KEPT}{there}" + (f": {advice}" if advice else "")
            continue
        if not dry_run:
            write_new_file(folder, name, text.encode())
        yield f"{MADE}{name}"
    if os.path.lexists(folder / FIRST_TEST):
        yield f"{KEPT}{FIRST_TEST}"
        return
    if not dry_run:
        write_new_folder(folder / FIRST_TEST, first_test(folder))
    yield f"{MADE}{FIRST_TEST}/"


def _print_complete() -> int:
    print_text("nothing to make: all files exist")
    return ExitCode.as_expected


def _check(folder: Path, example: TargetExample | None) -> int:
    """Check the new test, print what to do next, and return the exit code."""
    test = folder / FIRST_TEST
    checked = list(each_checked((str(test),), MAX_ROWS))
    for result in checked:
        print_checked(result)
    print_text(f"\n{summary(checked, trust=False)}\n")
    steps = {
        **({} if example is None else example.steps),
        "lve run --model replay": "judges the recorded answers, offline",
        "pytest": "does the same",
        "lve new": "makes a test of your own",
    }
    if (where := os.path.relpath(folder)) != os.curdir:
        dashes = "-- " if where.startswith("-") else ""
        steps = {f"cd {dashes}{shlex.quote(where)}": "", **steps}
    width = max(24, *(len(command) + 2 for command in steps))
    print_text("Next:")
    for command, what in steps.items():
        print_text(f"  {command:{width}}{what}".rstrip())
    return (
        ExitCode.as_expected
        if all(test_result.is_valid for test_result in checked)
        else ExitCode.invalid
    )
