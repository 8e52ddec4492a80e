"""Adds `--json` to commands that do something, and say in sentences what they did.

Their document has the facts that the command tells (`lve.cli.printing.tell`), and its sentences:
all that a person would have read. Verbs that show something have documents of their own
(`lve.cli.printing.View`).
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import wraps
from typing import Any

import click

from lve.cli.printing import TOLD, View, print_view
from lve.exit_code import ExitCode

NAME = "as_json"
WITHOUT = frozenset({"print"})
"""Commands that print a document already: `lve schema print`."""


def add_json(command: click.Command) -> None:
    """Add `--json` to a command, or to those of a group, unless they have it.

    Args:
        command: a command of click.
    """
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            if name not in WITHOUT:
                add_json(inner)
        return
    if command.callback is None or any(option.name == NAME for option in command.params):
        return
    text = "Print one JSON document of what was done, and ask nothing."
    command.params.append(click.Option(["--json", NAME], is_flag=True, help=text))
    command.callback = _telling(command.callback)


def _telling(callback: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(callback)
    def run(*args: object, as_json: bool, **words: object) -> Any:
        if not as_json:
            return callback(*args, **words)
        lines, messages, stdin = _Kept(), _Kept(), sys.stdin
        TOLD.clear()
        sys.stdin = io.StringIO()  # nobody would see a question
        try:
            with redirect_stdout(lines), redirect_stderr(messages):
                code = _called(lambda: callback(*args, **words))
        except BaseException:  # what was said leads to the error, which is printed after it
            click.echo(messages.getvalue(), err=True, nl=False)
            raise
        finally:
            sys.stdin = stdin
        document = {
            "exit_code": int(code),
            "meaning": next(each.meaning for each in ExitCode if each == code),
            **TOLD,
            "lines": lines.sentences(),
            "messages": messages.sentences(),
        }
        return print_view(View(lambda: document, exit_code=code), as_json=True)

    return run


def _called(verb: Callable[[], Any]) -> int:
    """Call a verb and return its exit code, however it says it."""
    try:
        return verb() or 0
    except click.exceptions.Exit as end:
        return end.exit_code


class _Kept(io.StringIO):
    """Keeps what would have been printed."""

    def sentences(self) -> list[str]:
        """Return the lines that aren't empty, without the name of the program."""
        lines = [line.removeprefix("lve: ") for line in self.getvalue().splitlines()]
        return [line for line in lines if line.strip()]
