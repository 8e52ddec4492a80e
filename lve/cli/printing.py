"""Prints results on stdout (`print_text`, `print_line`, `print_view`) and messages on stderr
(`print_message`, `warn`, `print_error`).

Names and texts from tests, servers and files may contain terminal escape sequences and
bidirectional control characters, so everything printed here is escaped. `keep_keys_out` keeps
secrets out of all that this process writes to stdout and stderr, tracebacks included.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, TextIO, cast

import click

from lve.errors import LveError, Problem, with_code
from lve.escape import PlacedWarning, disarm_json, escape, escape_line, keyless
from lve.named_tuples import NamedTuple


def print_text(text: str, *, newline: bool = True) -> None:
    """Print a result of one or several lines on stdout."""
    click.echo(escape(text), nl=newline)


def print_line(text: object) -> None:
    """Print a result on one line of stdout; line breaks are escaped."""
    click.echo(escape_line(str(text)))


class Note(str):
    """A line of a view that is a message for people, so it goes to stderr."""

    __slots__ = ()


class View(NamedTuple):
    """What a verb shows: as one JSON document, or as lines for people."""

    document: Callable[[], Any] | None
    """Returns the document; None if there is none."""
    lines: Iterable[str] = ()
    exit_code: int = 0
    write: Callable[[str], None] = print_line
    """Prints a line, for lines that are escaped already."""


def print_view(view: View, *, as_json: bool) -> int:
    """Print a view on stdout, and return its exit code.

    The document is indented and ASCII, as in `lve run --json`, so every terminal, pipe and reader
    accepts it. Values that JSON doesn't have, such as dates in a data set and NaN, are converted.
    """
    if as_json and view.document is not None:
        import json  # both imports cost start-up time

        from lve.documents.json_lines import plain

        click.echo(disarm_json(keyless(json.dumps(plain(view.document()), indent=2))))
    elif not as_json:
        for line in view.lines:
            (print_message if isinstance(line, Note) else view.write)(line)
    return view.exit_code


TOLD: dict[str, object] = {}
"""What the verb that runs has told."""


def tell(**facts: object) -> None:
    """Add facts to the document that `--json` prints of a verb that otherwise says sentences."""
    TOLD.update(facts)


def print_message(text: object) -> None:
    """Print a message on one line of stderr."""
    click.echo(f"lve: {escape_line(str(text))}", err=True)


def warn(text: str) -> None:
    """Print a warning on one line of stderr."""
    print_message(text if isinstance(text, PlacedWarning) else f"warning: {text}")


def warn_of_sandbox() -> None:
    """Warn if this machine lacks layers of the sandbox for the tests' code."""
    from lve.sandbox.layers import missing_text  # late: it loads ctypes

    if text := missing_text():
        warn(with_code(text, "sandbox"))


def print_problem(problem: Problem) -> None:
    """Print a problem of a file on stderr, with its code."""
    print_message(problem.message_with_code)


def print_problems(problems: Iterable[Problem]) -> None:
    """Print problems on stderr, each once: every test below a `suite.yaml` repeats its problems."""
    for text in dict.fromkeys(problem.message_with_code for problem in problems):
        print_message(text)


def print_error(error: LveError) -> None:
    """Print an error on stderr with its code, one line per problem."""
    click.echo(f"lve: {escape(error.message_with_code)}", err=True)


def discard_output() -> None:
    """Discard everything written to stdout from now on, including what Python flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class KeylessStream:
    """A text stream that leaves keys out of everything written to it.

    Other attributes are those of the wrapped stream, except its binary `buffer`, which would write
    with them.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.is_used = False

    def write(self, text: str) -> int:
        """Write whole lines: a secret split over two calls wouldn't be found. Characters that the
        encoding lacks are escaped."""
        text = keyless(text)
        self.is_used = True
        try:
            return self._stream.write(text)
        except UnicodeEncodeError:
            encoding = self._stream.encoding
            return self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        if name in ("buffer", "detach"):
            raise AttributeError(name)
        return getattr(self._stream, name)


def keep_keys_out() -> None:
    """Leave keys out of all that this process writes to stdout and stderr from now on."""
    for name in ("stdout", "stderr"):
        setattr(sys, name, cast(TextIO, KeylessStream(getattr(sys, name))))
