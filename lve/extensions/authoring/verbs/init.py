"""`lve init`: makes a workspace: settings, a test that works, pytest's settings, a CI file."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import indent

import click

from lve.cli.check.check_output import print_checked, summary
from lve.cli.check.command import MAX_ROWS, each_checked
from lve.cli.printing import print_line, print_text, tell
from lve.documents.validation.schema import schema_address
from lve.errors import UsageError
from lve.exit_code import ExitCode
from lve.extensions.authoring.patterns import read_pattern
from lve.extensions.authoring.places import schema_of_tests
from lve.extensions.authoring.questions import DEFAULT_MODEL
from lve.extensions.authoring.templates import TargetExample, target_examples, template
from lve.file_names import SETTINGS_FILE, SETTINGS_FILES
from lve.files.atomic_file import unwritable
from lve.files.inside import DOCUMENT_BYTES, read_inside
from lve.files.new_files import write_new_file, write_new_folder
from lve.spec.location import REPOSITORY
from lve.workspace import PYPROJECT, display_path, find_root, has_tool_table, is_root

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
        raise unwritable(place, error) from None
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


FIRST_TEST = f"{REPOSITORY}/examples/capitals"
CI_FILE = ".github/workflows/lve.yml"
PYTEST_FILE = "pytest.ini"
IGNORE_FILE = ".gitignore"
ACTIONS = {
    "checkout": "v7",
    "deploy-pages": "v5",
    "download-artifact": "v8",
    "setup-python": "v7",
    "upload-artifact": "v7",
    "upload-pages-artifact": "v5",
}
"""GitHub's action -> its version, as of November 2026, also for what the documentation shows.

To update a version, look it up (`git ls-remote --tags https://github.com/actions/checkout`) and
write it here; a test then lists the pages that show another one. The project's own workflows in
`.github/workflows/` use the same versions, pinned to commits."""
_PATTERN = "capitals"
_PYTEST_TABLES = {
    "pytest.toml": r"",
    ".pytest.toml": r"",
    ".pytest.ini": r"",
    PYPROJECT: r"(?m)^\[tool\.pytest",
    "tox.ini": r"(?m)^\[pytest\]",
    "setup.cfg": r"(?m)^\[tool:pytest\]",
}
"""File -> the pattern of pytest's settings in it. pytest would ignore these settings if there was
a pytest.ini."""
_TARGET = """
# Your application, which is tested as a model is (docs/testing-an-application.md).
models:
"""
_IGNORE = "# Sessions and cached answers of lve.\n.lve/\n"


def first_test(folder: Path) -> Mapping[str, bytes]:
    """Return the files of the first test of a workspace, with recorded answers.

    Args:
        folder: the folder of the workspace.
    """
    schema = schema_of_tests(folder / FIRST_TEST, folder)
    return read_pattern(_PATTERN).contents(name=_PATTERN, schema=schema, as_json=False)


def files_of_workspace(model: str, target: TargetExample | None = None) -> dict[str, str]:
    """Return name -> text of the files besides the first test.

    Args:
        model: the default model of the workspace.
        target: the example application, if there is one.
    """
    settings, files = template("settings.yaml"), dict[str, str]()
    if target is not None:
        settings += _TARGET + indent(target.settings, "  ")
        files[target.file] = target.source
    addresses = {"{schema}": schema_address("settings"), "{model}": model}
    versions = {f"{{{action}}}": version for action, version in ACTIONS.items()}
    home = {"{repository}": REPOSITORY}
    return {
        SETTINGS_FILE: _filled(settings, addresses),
        **files,
        PYTEST_FILE: _filled(template("pytest.ini"), home),
        CI_FILE: _filled(template("ci.yml"), {**versions, **home}),
        IGNORE_FILE: _IGNORE,
    }


def _filled(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def replaced_by(folder: Path, name: str) -> str | None:
    """Return an existing file that makes a new file unnecessary; None if there is none.

    Args:
        folder: the folder of the workspace.
        name: the new file, a key of `files_of_workspace`.
    """
    if name == SETTINGS_FILE and has_tool_table(folder / PYPROJECT):
        return PYPROJECT
    if name == SETTINGS_FILE:
        return next((file for file in SETTINGS_FILES[1:] if (folder / file).is_file()), None)
    if name == PYTEST_FILE:
        return next((f for f, sign in _PYTEST_TABLES.items() if _has(folder / f, sign)), None)
    return None


def advice_on(folder: Path, name: str, there: str) -> str | None:
    """Return what the user should add to an existing file; None if nothing is missing.

    Args:
        folder: the folder of the workspace.
        name: the new file, a key of `files_of_workspace`.
        there: the existing file that is kept instead.
    """
    if name == IGNORE_FILE and not _has(folder / there, r"(?m)^/?\.lve/?\s*$"):
        return "add the line .lve/, so that git ignores sessions"
    if name == PYTEST_FILE and not _has(folder / there, r"lve_paths"):
        return f"add to pytest's settings: lve_paths = {REPOSITORY}, lve_model = replay"
    return None


def _has(file: Path, sign: str) -> bool:
    if not os.path.isfile(file):  # noqa: PTH113 (returns False in a folder that can't be read)
        return False
    try:
        text = read_inside(file.parent, file.name, DOCUMENT_BYTES).decode("utf-8", "replace")
    except OSError:  # unreadable, so assume that it has the settings
        return True
    return re.search(sign, text) is not None
