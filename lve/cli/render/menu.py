"""`lve render -i`: menus for a test, a model and the number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from lve.cli.talk import tell_problem
from lve.escape import escape_line
from lve.spec.discover import discover
from lve.workspace import Settings, display_path

AS_IT_IS = "no model of the settings"


def choose_test(paths: Sequence[str]) -> Path:
    """Let the user choose one of the tests below some paths.

    Raises:
        UsageError: a path doesn't exist, or there is no test.
    """
    found = list(discover(paths or (".",), report=tell_problem))
    if not found:
        raise click.UsageError("there are no tests here")
    return found[_choose("test", [str(display_path(file)) for file in found])]


def choose_model(settings: Settings) -> str | None:
    """Let the user choose one of the models of the settings; None for none of them."""
    names = list(settings.models)
    if not names:
        return None
    return [None, *names][_choose("model", [AS_IT_IS, *names])]


def choose_limit() -> int:
    """Let the user choose the number of rows."""
    count: int = click.prompt("rows", type=click.IntRange(min=1), default=1, err=True)
    return count


def _choose(what: str, names: Sequence[str]) -> int:
    """Return the position of the user's choice. Menus go to stderr, so that stdout can be piped."""
    for number, name in enumerate(names, 1):
        click.echo(f"{number:4} {escape_line(name)}", err=True)
    chosen: int = click.prompt(what, type=click.IntRange(1, len(names)), default=1, err=True)
    return chosen - 1
