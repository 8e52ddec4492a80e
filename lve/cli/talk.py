"""Prints results on stdout (`say`, `print_json`) and messages on stderr (`tell`, `warn`), escaped.

Names and texts of tests, servers and files may hold escape sequences and characters that change
direction. Everything printed here is safe for a terminal.
"""

from __future__ import annotations

import json
from typing import Any

import click

from lve.errors import LveError, Problem
from lve.escape import disarm_json, escape, escape_line


def say(text: str, *, newline: bool = True) -> None:
    """Print a result of one or several lines."""
    click.echo(escape(text), nl=newline)


def say_line(text: object) -> None:
    """Print a result on one line."""
    click.echo(escape_line(str(text)))


def print_json(value: Any) -> None:
    """Print a result as one indented JSON document.

    It is ASCII, as in `lve run --json`, so that every terminal, pipe and reader accepts it. Values
    that JSON doesn't have (dates in a data set, NaN) are converted.
    """
    from lve.documents.json_lines import plain  # costs start-up time

    click.echo(disarm_json(json.dumps(plain(value), indent=2)))


def tell(text: object) -> None:
    """Print a message on one line, on stderr."""
    click.echo(f"lve: {escape_line(str(text))}", err=True)


def warn(text: str) -> None:
    """Print a warning on stderr."""
    # A problem of a file already says `warning:` after its position.
    tell(text if ": warning: " in text[:400] else f"warning: {text}")


def tell_problem(problem: Problem) -> None:
    """Print a problem of a file on stderr."""
    tell(problem)


def tell_error(error: LveError) -> None:
    """Print an error on stderr, one line per problem."""
    click.echo(f"lve: {escape(str(error))}", err=True)
