"""`lve schema`: prints the schemas of lve's files, and configures editors to use them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click

from lve.cli.printing import print_line, print_message, print_text
from lve.documents.validation.schema import schema_names, schema_text
from lve.errors import UsageError
from lve.exit_code import ExitCode
from lve.extensions.authoring.editors import (
    JETBRAINS,
    SNIPPETS,
    VSCODE,
    UnmergeableError,
    is_our_project,
    is_schema_of_lve,
    jetbrains_project,
    merged_settings,
    modelines,
    schema_copies,
    vscode_settings,
)
from lve.extensions.authoring.templates import template
from lve.files.atomic_file import replace_inside
from lve.files.inside import is_missing, read_inside, reason_of
from lve.named_tuples import NamedTuple
from lve.suggest import did_you_mean
from lve.workspace import display_path, find_root

MAX_BYTES = 5_000_000
"""Size limit of an editor's settings file."""
EDITORS = ("vscode", "jetbrains", "neovim")


@click.group()
def schema() -> None:
    """Print the schemas of lve's files, or let an editor use them.

    With the schemas, an editor completes and explains the keys of tests, checks and settings, and
    marks mistakes.

    \b
    lve schema install --editor vscode
    lve schema print test > test.schema.json
    """


@schema.command("print")
@click.argument("name", required=False)
def print_schema(name: str | None) -> int:
    """Print a JSON Schema; without NAME, the names of all schemas.

    \b
    lve schema print
    lve schema print settings
    """
    names = schema_names()
    if name is None:
        for each_name in names:
            print_line(f"{each_name:14}{json.loads(schema_text(each_name))['title']}")
        return ExitCode.as_expected
    if name not in names:
        hint = did_you_mean(name, names) or f"there are: {', '.join(names)}"
        raise UsageError(f"there is no schema {name!r}: {hint}", code="unknown_name")
    print_text(schema_text(name), newline=False)
    return ExitCode.as_expected


@schema.command()
@click.option("--editor", type=click.Choice(EDITORS), required=True, help="The editor.")
@click.option("--dry-run", is_flag=True, help="Write nothing; print what would be written.")
def install(editor: str, dry_run: bool) -> int:
    """Let an editor use the schemas in this workspace.

    Copies the schemas of the installed lve to schemas/ in the workspace; run it again after an
    update of lve. Then it adds to .vscode/settings.json for VS Code (YAML needs the extension
    redhat.vscode-yaml) and writes snippets (type `lve-`) beside it, writes .idea/jsonSchemas.xml
    for JetBrains' editors, or prints the first line that a document needs for Neovim's
    yaml-language-server. It keeps all other settings. If a file can't be changed without losing
    something, it prints what to paste, and the exit code is 1.

    \b
    lve schema install --editor vscode
    lve schema install --editor neovim --dry-run
    """
    root = find_root(Path.cwd())
    files = list(_copies(root))  # check all files before writing any
    refusal = None
    try:
        files += _settings_file(root, editor)
    except UnmergeableError as error:
        refusal = error
    done: list[_File] = []
    try:
        for file in files:
            if not dry_run:
                _write(root, file)
            done.append(file)
    finally:  # printed last: if the reader of stdout is gone, printing ends the command
        for file in done:
            print_line(f"{file.done:9}{file.name}")
    if refusal is not None:
        return _print_pasteable(root, editor, refusal)
    if editor == "neovim":
        _print_modelines(root)
    if dry_run:
        print_text("nothing was written (--dry-run)")
    return ExitCode.as_expected


class _File(NamedTuple):
    name: str
    """Its path relative to the workspace's root."""
    old: str | None
    """Its text before; None if it doesn't exist."""
    new: str

    @property
    def done(self) -> str:
        """What is done with it: `kept`, `made` or `changed`."""
        return "kept" if self.old == self.new else "made" if self.old is None else "changed"


def _copies(root: Path) -> Iterator[_File]:
    """Yield the copies of the schemas."""
    for name, content in schema_copies().items():
        old = _content(root, name)
        if old is not None and not is_schema_of_lve(old):
            hint = "rename it, or remove it"
            raise UsageError(
                f"{display_path(root / name)} is no schema of lve: {hint}", code="exists"
            )
        yield _File(name, old, content.decode())


def _settings_file(root: Path, editor: str) -> Iterator[_File]:
    """Yield the settings file of an editor, if it has one.

    Raises:
        UnmergeableError: it can't be changed without losing something.
    """
    if editor == "vscode":
        old = _content(root, VSCODE)
        yield _File(SNIPPETS, _content(root, SNIPPETS), template(Path(SNIPPETS).name))
        yield _File(VSCODE, old, merged_settings(old or "", root))
    elif editor == "jetbrains":
        old = _content(root, JETBRAINS)
        if old is not None and not is_our_project(old):
            raise UnmergeableError("maps other schemas, too")
        yield _File(JETBRAINS, old, jetbrains_project(root))


def _content(root: Path, name: str) -> str | None:
    """Return the text of a file in the workspace; None if it doesn't exist."""
    try:
        return read_inside(root, name, MAX_BYTES).decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(
            f"{display_path(root / name)} isn't a text in UTF-8", code="encoding"
        ) from None
    except OSError as error:
        if is_missing(error):
            return None
        raise _refused(root, name, error, "read") from None


def _write(root: Path, file: _File) -> None:
    """Write a file if its text changes."""
    if file.old == file.new:
        return
    try:
        replace_inside(root, file.name, file.new.encode(), max_bytes=MAX_BYTES)
    except OSError as error:
        raise _refused(root, file.name, error, "written") from None


def _refused(root: Path, name: str, error: OSError, done: str) -> UsageError:
    code = "unreadable" if done == "read" else "unwritable"
    return UsageError(f"{display_path(root / name)} can't be {done}: {reason_of(error)}", code=code)


def _print_modelines(root: Path) -> None:
    print_text("\nA YAML document begins with the line:")
    for file, line in modelines(root).items():
        print_text(f"  {file}\n    {line}")


def _print_pasteable(root: Path, editor: str, error: UnmergeableError) -> int:
    """Print the settings that the user must paste by hand, and return the exit code."""
    is_vscode = editor == "vscode"
    print_message(
        f"{VSCODE if is_vscode else JETBRAINS} {error}, so it stays as it is: add this by hand"
    )
    text = json.dumps(vscode_settings(root), indent=2) if is_vscode else jetbrains_project(root)
    print_text(text.rstrip())
    return ExitCode.failed
