"""Prints results on stdout (`say`, `print_json`) and messages on stderr (`tell`, `warn`), escaped.

Names and texts of tests, servers and files may hold escape sequences and characters that change
direction. Everything printed here is safe for a terminal, and `redact_output` keeps secrets out of
all that this process writes to stdout and stderr, tracebacks included.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

from lve.errors import LveError, Problem, with_code
from lve.escape import disarm_json, escape, escape_line

if TYPE_CHECKING:
    from lve.redaction import Redactor


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
    import json  # both cost start-up time

    from lve.documents.json_lines import plain

    click.echo(disarm_json(json.dumps(plain(value), indent=2)))


def tell(text: object) -> None:
    """Print a message on one line, on stderr."""
    click.echo(f"lve: {escape_line(str(text))}", err=True)


def warn(text: str) -> None:
    """Print a warning on stderr."""
    # A problem of a file already says `warning:` after its position.
    tell(text if ": warning: " in text[:400] else f"warning: {text}")


def warn_of_sandbox() -> None:
    """Warn of what code of tests isn't kept from on this machine."""
    from lve.sandbox.layers import missing_text  # late: it loads ctypes

    if said := missing_text():
        warn(with_code(said, "sandbox"))


def tell_problem(problem: Problem) -> None:
    """Print a problem of a file on stderr, with its code."""
    tell(problem.message_with_code)


def tell_problems(problems: Iterable[Problem]) -> None:
    """Print problems on stderr, each once: all tests below a `suite.yaml` have its problems."""
    for told in dict.fromkeys(problem.message_with_code for problem in problems):
        tell(told)


def tell_error(error: LveError) -> None:
    """Print an error on stderr with its code, one line per problem."""
    click.echo(f"lve: {escape(error.message_with_code)}", err=True)


class RedactedStream:
    """A text stream that redacts what is written. Other attributes are those of the stream, but its
    binary stream isn't accessible: it would write without redaction."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._redactor: Redactor | None = None
        self._known = 0

    def redact(self, text: str) -> str:
        """Return a text without secrets, for callers that cut a text before writing it."""
        from lve.redaction import key_variable_count, own_redactor

        if self._redactor is None or self._known != key_variable_count():
            self._known, self._redactor = key_variable_count(), own_redactor()
        return self._redactor(text)

    def write(self, text: str) -> int:
        """Write a text of at least one line; characters that the encoding lacks are escaped."""
        text = self.redact(text)
        try:
            return self._stream.write(text)
        except UnicodeEncodeError:
            encoding = self._stream.encoding
            return self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name in ("buffer", "detach"):
            raise AttributeError(name)
        return getattr(self._stream, name)


def redact_output() -> None:
    """Redact everything that this process writes to stdout and stderr from now on."""
    for name in ("stdout", "stderr"):
        setattr(sys, name, cast(TextIO, RedactedStream(getattr(sys, name))))


def redacted(text: str) -> str:
    """Return a text without secrets, if stdout is redacted. Call it before wrapping a text."""
    redact = getattr(sys.stdout, "redact", None)
    return redact(text) if redact is not None else text
