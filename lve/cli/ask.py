"""Asks the user questions on a terminal. After an invalid answer it prints why, and asks again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import click

from lve.errors import LveError
from lve.escape import escape, escape_line

Answer = TypeVar("Answer")
Read = Callable[[str], Answer]
"""Parses an answer. Raises ValueError or LveError if it is invalid."""


def can_ask() -> bool:
    """Whether stdin, stdout and stderr are terminals, so that a user can be asked."""
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def note(text: str) -> None:
    """Print a text between the questions."""
    click.echo(escape(text), err=True)


def ask(question: str, read: Read[Answer], *, default: str | None = None) -> Answer:
    """Ask until an answer is valid; return the parsed answer.

    Args:
        question: the question, without a punctuation mark at its end.
        read: parses the answer.
        default: the answer that Enter stands for; None: an empty answer isn't accepted.

    Raises:
        click.Abort: the user quits (Ctrl-C, Ctrl-D).
    """
    _edit_lines()
    ending = f" [{escape_line(default)}]" if default else ""
    answer: Answer = click.prompt(
        escape(question) + ending,
        default=default,
        show_default=False,
        value_proc=lambda text: _read(text, read),
        err=True,
    )
    return answer


def ask_text(question: str, *, default: str | None = None, refuse: Read[str | None]) -> str:
    """Ask for a line of text.

    Args:
        question: see `ask`.
        default: see `ask`.
        refuse: returns why an answer is invalid, or None.
    """

    def read(text: str) -> str:
        text = text.strip()
        if (reason := refuse(text)) is not None:
            raise ValueError(reason)
        return text

    return ask(question, read, default=default)


def ask_choice(question: str, letters: str, *, default: str) -> str:
    """Ask for one of `letters`; a word that begins with one of them is accepted, too."""

    def read(text: str) -> str:
        letter = text.strip().lower()[:1]
        if not letter or letter not in letters:
            raise ValueError(f"answer with one of {', '.join(letters)}")
        return letter

    return ask(question, read, default=default)


def _read(text: str, read: Read[Answer]) -> Answer:
    # Invalid UTF-8, or a key that the terminal sent as an escape sequence.
    if any(not (c.isprintable() or c in "\t\n") for c in text):
        raise click.UsageError("the answer has unprintable characters; type it again")
    try:
        return read(text)
    except (ValueError, LveError) as error:
        raise click.UsageError(escape(str(error))) from None


def _edit_lines() -> None:
    """Let the user edit the line with the arrow keys, and type more than the 4,096 bytes that a
    terminal accepts."""
    with suppress(ImportError):
        import readline  # noqa: F401 (importing it is enough)
