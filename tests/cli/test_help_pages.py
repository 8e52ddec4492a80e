"""Every help page as a terminal of 80 columns shows it, word for word.

`PYTHONPATH=tests .venv/bin/python tests/cli/test_help_pages.py` writes the pages anew.
"""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from support.command_line import lve

from lve.cli.main import cli
from lve.cli.verbs import MOVED, VERBS

PAGES = Path(__file__).parents[1] / "cases" / "help"


def commands() -> dict[str, tuple[str, ...]]:
    """Return the file of each page, and the words that ask for it. Earlier names have the pages of
    the new ones."""
    words: list[tuple[str, ...]] = [("--help",), ("help", "more")]
    context = click.Context(cli)
    for verb in VERBS:
        if verb not in MOVED:
            words += _below((verb,), cli.get_command(context, verb))
    return {f"{'-'.join(w for w in line if w != '--help') or 'lve'}.txt": line for line in words}


def _below(line: tuple[str, ...], command: click.Command | None) -> list[tuple[str, ...]]:
    words: list[tuple[str, ...]] = [(*line, "--help")]
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            words += _below((*line, name), command.get_command(context, name))
    return words


def page(line: tuple[str, ...]) -> str:
    """Return what a terminal of 80 columns shows."""
    result = lve(*line, env={"COLUMNS": "80"})
    assert result.stderr == ""
    return result.stdout


@pytest.mark.parametrize("name", commands())
def test_a_page_says_what_it_said(name: str) -> None:
    shown = page(commands()[name])
    assert shown == (PAGES / name).read_text(encoding="utf-8")
    assert max(map(len, shown.splitlines())) <= 80
    assert "Repeat for several. Repeat for several." not in " ".join(shown.split())


def test_no_page_is_left_of_a_command_that_is_gone() -> None:
    assert {file.name for file in PAGES.iterdir()} == {*commands()}


def test_a_command_in_a_list_is_described_by_a_whole_sentence() -> None:
    cut = {
        line
        for words in commands().values()
        for line in page(words).partition("Commands:")[2].splitlines()
        if line.endswith("...")
    }
    assert cut == set()


def main() -> None:
    """Write what the pages show now."""
    PAGES.mkdir(exist_ok=True)
    for name, line in commands().items():
        (PAGES / name).write_text(page(line), encoding="utf-8")


if __name__ == "__main__":
    main()
