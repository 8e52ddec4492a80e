"""Asks the user on a terminal; asks again, with the reason, if an answer can't be used."""

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
"""Returns what an answer means. Raises ValueError or LveError if it can't be used."""


def can_ask() -> bool:
    """Whether somebody sits at a terminal and sees the questions."""
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def note(text: str) -> None:
    """Print something beside the questions."""
    click.echo(escape(text), err=True)


def ask(question: str, read: Read[Answer], *, default: str | None = None) -> Answer:
    """Ask until an answer can be used.

    Args:
        question: without a mark at its end.
        read: returns what the answer means.
        default: what an empty answer means; None: nothing is no answer.

    Raises:
        click.Abort: the user wants to leave (Ctrl-C, Ctrl-D).
    """
    _edit_lines()
    shown = f" [{escape_line(default)}]" if default else ""
    answer: Answer = click.prompt(
        escape(question) + shown,
        default=default,
        show_default=False,
        value_proc=lambda text: _read(text, read),
        err=True,
    )
    return answer


def ask_text(question: str, *, default: str | None = None, refuse: Read[str | None]) -> str:
    """Ask for a line of text.

    Args:
        question: as for `ask`.
        default: as for `ask`.
        refuse: returns why an answer can't be used, or None.
    """

    def read(text: str) -> str:
        text = text.strip()
        if (reason := refuse(text)) is not None:
            raise ValueError(reason)
        return text

    return ask(question, read, default=default)


def ask_choice(question: str, letters: str, *, default: str) -> str:
    """Ask for one of some letters; a word that begins with one counts, too."""

    def read(text: str) -> str:
        letter = text.strip().lower()[:1]
        if not letter or letter not in letters:
            raise ValueError(f"answer with one of {', '.join(letters)}")
        return letter

    return ask(question, read, default=default)


def _read(text: str, read: Read[Answer]) -> Answer:
    # Half a character, or a key that the terminal has sent as an escape sequence.
    if any(not (c.isprintable() or c in "\t\n") for c in text):
        raise click.UsageError("it has characters that are no text; type it again")
    try:
        return read(text)
    except (ValueError, LveError) as error:
        raise click.UsageError(escape(str(error))) from None


def _edit_lines() -> None:
    """Let the user edit a line with the arrow keys, and type more than a terminal's 4,096 bytes."""
    with suppress(ImportError):
        import readline  # noqa: F401 (importing it is enough)
