"""What verbs say, with everything foreign in it made harmless for a terminal.

Names and texts of test documents, of servers and of files may hold escape sequences and characters
that change direction; none of them reaches the terminal as it is.
"""

from __future__ import annotations

import click

from lve.errors import LveError, Problem
from lve.escape import escape, escape_line


def say(text: str, *, newline: bool = True) -> None:
    """Print a result, of one line or several."""
    click.echo(escape(text), nl=newline)


def say_line(text: object) -> None:
    """Print a result that must stay one line."""
    click.echo(escape_line(str(text)))


def tell(text: object) -> None:
    """Tell the user something, on stderr."""
    click.echo(f"lve: {escape_line(str(text))}", err=True)


def warn(text: str) -> None:
    """Tell what looks wrong and stops nothing, on stderr."""
    # A problem of a file says so itself, after the place.
    tell(text if ": warning: " in text[:400] else f"warning: {text}")


def tell_problem(problem: Problem) -> None:
    """Tell what is wrong in a file, on stderr."""
    tell(problem)


def tell_error(error: LveError) -> None:
    """Tell why it can't go on, on stderr: one line per problem."""
    click.echo(f"lve: {escape(str(error))}", err=True)
