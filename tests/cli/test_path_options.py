"""What an option or argument that names a path refuses, as its name in the help says: a FILE is no
folder, and a DIR or FOLDER no file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from lve.cli.main import cli

EITHER = {"lve import -o", "lve record --params"}
"""Where a file in the way or a folder has a message of lve's own."""


def named_paths() -> dict[str, tuple[click.Path, str]]:
    """Return the type of each option and argument whose name says what its path is."""
    return {
        name: (param.type, str(param.metavar))
        for name, param in _params(cli, "lve", None)
        if isinstance(param.type, click.Path) and param.metavar in ("FILE", "DIR", "FOLDER")
    }


def _params(
    command: click.Command, name: str, parent: click.Context | None
) -> Iterator[tuple[str, click.Parameter]]:
    context = click.Context(command, parent, info_name=name)
    for param in command.params:
        yield f"{name} {param.opts[0]}", param
    if isinstance(command, click.Group):
        for verb in command.list_commands(context):
            below = command.get_command(context, verb)
            assert below is not None
            yield from _params(below, f"{name} {verb}", context)


PATHS = named_paths()


@pytest.mark.parametrize("name", sorted(PATHS.keys() - EITHER))
def test_a_file_is_no_folder_and_a_folder_no_file(name: str, tmp_path: Path) -> None:
    kind, metavar = PATHS[name]
    file, folder = tmp_path / "file", tmp_path / "folder"
    file.write_text("")
    folder.mkdir()
    right, wrong = (file, folder) if metavar == "FILE" else (folder, file)
    assert Path(kind.convert(str(right), None, None)) == right
    with pytest.raises(
        click.BadParameter, match="is a directory" if metavar == "FILE" else "is a file"
    ):
        kind.convert(str(wrong), None, None)


def test_each_exception_is_one() -> None:
    assert PATHS.keys() >= EITHER
